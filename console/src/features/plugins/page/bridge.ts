/**
 * The console's side of a plugin's page. The page runs in a sandboxed frame with an origin of its own: it has neither
 * the session's token nor a network, and asks for everything through a port.
 */

import { Refusal } from "@/api/client";
import { request } from "@/api/request";

export interface Theme {
  scheme: "light" | "dark";
  /** CSS variables of the theme, by name. */
  variables: Record<string, string>;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
const METHODS: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE"] satisfies Method[];
/** The routes of all plugins. */
const PLUGINS = "/api/x/";
/** A file of the plugin's bundle, instead of an API call. */
const FILE = "FILE";

type FromPage =
  | { type: "call"; id: number; method: string; path: string; body?: unknown }
  | { type: "height"; height: number }
  | { type: "ready" }
  | { type: "refused"; message: string }
  | { type: "fault"; message: string };

export interface Listener {
  onReady: () => void;
  onHeight: (pixels: number) => void;
  /** The page threw an error. */
  onFault: (message: string) => void;
  /** The server refused a call, and the page didn't handle it. */
  onRefused: (message: string) => void;
}

export interface Bridge {
  wear: (theme: Theme) => void;
  close: () => void;
}

/** Answers the page's calls as the signed-in person, until it is closed. */
export function openBridge(port: MessagePort, plugin: string, listener: Listener): Bridge {
  const ending = new AbortController();

  async function perform({ id, method, path, body }: FromPage & { type: "call" }): Promise<void> {
    try {
      const value = await valueOf(await request(...addressed(plugin, method, path), body, ending.signal), method);
      port.postMessage({ type: "answer", id, value });
    } catch (fault) {
      if (!ending.signal.aborted) port.postMessage({ type: "refusal", id, refusal: refusalOf(fault) });
    }
  }

  port.onmessage = ({ data }: MessageEvent<FromPage>) => {
    if (data.type === "call") void perform(data);
    if (data.type === "ready") listener.onReady();
    if (data.type === "height") listener.onHeight(Number(data.height) || 0);
    if (data.type === "fault") listener.onFault(String(data.message));
    if (data.type === "refused") listener.onRefused(String(data.message));
  };

  return {
    wear: (theme) => port.postMessage({ type: "theme", theme }),
    close() {
      ending.abort();
      port.close();
    },
  };
}

/**
 * Method and address of a call. A page reads what its reader can read, and changes something only through its plugin's own
 * routes, which name the permission that this needs: code that got into a page cannot make tokens or administrators.
 */
export function addressed(plugin: string, method: string, path: string): [method: string, address: string] {
  if (method === FILE) return ["GET", fileAddress(plugin, path)];
  if (!METHODS.includes(method)) throw new RangeError(`${method} is not a method of the API`);
  const address = new URL(path, location.origin);
  if (address.origin !== location.origin || !address.pathname.startsWith("/api/")) throw new RangeError(`${path} is not an address below /api/`);
  if (!address.pathname.startsWith(`${PLUGINS}${encodeURIComponent(plugin)}/`)) {
    if (address.pathname.startsWith(PLUGINS)) throw new RangeError(`${path} is a route of another plugin`);
    if (method !== "GET") throw new RangeError(`a page can only read ${path}; what it changes goes through a route of its plugin`);
  }
  return [method, address.pathname + address.search];
}

/** Where a file of the plugin's bundle is; there's no way to another plugin's. */
export function fileAddress(plugin: string, name: string): string {
  const bundle = `/api/x/${encodeURIComponent(plugin)}/bundle/`;
  const address = bundle + name.split("/").map(encodeURIComponent).join("/");
  if (!new URL(address, location.origin).pathname.startsWith(bundle)) throw new RangeError(`${name} is not a file of the bundle`);
  return address;
}

/** JSON as a value, a file as a Blob, any other answer as a text. A stream never ends, so there is none. */
async function valueOf(response: Response, method: string): Promise<unknown> {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) {
    await response.body?.cancel();
    throw new RangeError("streams can't be read here");
  }
  if (method === FILE) return response.blob();
  if (response.status === 204) return null;
  return type.includes("json") ? response.json() : response.text();
}

function refusalOf(fault: unknown) {
  if (fault instanceof Refusal) return { message: fault.message, status: fault.status, code: fault.code, requestId: fault.requestId };
  return { message: fault instanceof Error ? fault.message : String(fault), status: 0, code: "not_sent" };
}
