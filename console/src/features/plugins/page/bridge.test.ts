/** What a plugin's page can ask for. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { addressed, fileAddress, openBridge, type Bridge } from "./bridge";

const LISTENER = { onReady: vi.fn(), onHeight: vi.fn(), onFault: vi.fn(), onRefused: vi.fn() };
let bridge: Bridge | undefined;

beforeEach(() => {
  vi.stubGlobal("location", new URL("https://team.example/app/plugins/one"));
  vi.stubGlobal("sessionStorage", { getItem: () => "ts_s_1" });
});
afterEach(() => {
  bridge?.close();
  vi.unstubAllGlobals();
});

test("only addresses below /api/ of this server can be called", () => {
  expect(addressed("one", "GET", "/api/notes?limit=1")).toEqual(["GET", "/api/notes?limit=1"]);
  expect(addressed("one", "GET", "https://team.example/api/notes")).toEqual(["GET", "/api/notes"]);
  for (const path of ["/mcp", "/api/../mcp", "/api/%2e%2e/v1/models", "https://other.example/api/notes", "//other.example/api/", ""]) {
    expect(() => addressed("one", "GET", path), path).toThrow("is not an address below /api/");
  }
  expect(() => addressed("one", "TRACE", "/api/notes")).toThrow("TRACE is not a method");
});

test("a page changes something only through the routes of its plugin", () => {
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
    expect(addressed("one", method, "/api/x/one/count")).toEqual([method, "/api/x/one/count"]);
    for (const path of ["/api/x/two/count", "/api/x/one/../two/count", "/api/x/one", "/api/x/one%2f..%2ftwo/count"]) {
      expect(() => addressed("one", method, path), path).toThrow("is a route of another plugin");
    }
    if (method === "GET") continue;
    for (const path of ["/api/tokens", "/api/x/one/../../notes", "/api/x/one/%2e%2e/%2E%2E/notes", "/api/x"]) {
      expect(() => addressed("one", method, path), path).toThrow("a page can only read");
    }
  }
});

test("files are those of its own bundle", () => {
  expect(addressed("one", "FILE", "icons/a b.svg")).toEqual(["GET", "/api/x/one/bundle/icons/a%20b.svg"]);
  expect(() => fileAddress("one", "../../two/bundle/index.js")).toThrow("is not a file of the bundle");
});

/** The page's end of a bridge to a server that answers with `answer`. */
function page(answer: () => Response | Promise<Response>) {
  const fetched = vi.fn<(path: string, init: RequestInit) => Promise<Response>>(async () => answer());
  vi.stubGlobal("fetch", fetched);
  const { port1, port2 } = new MessageChannel();
  bridge = openBridge(port1 as unknown as MessagePort, "one", LISTENER);
  const heard = (): Promise<unknown> => new Promise((resolve) => (port2.onmessage = ({ data }) => resolve(data)));
  return { fetched, ask: (request: object) => (port2.postMessage(request), heard()) };
}

test("a call is made as the signed-in person, and answered", async () => {
  const { fetched, ask } = page(() => Response.json({ words: 2 }));
  expect(await ask({ type: "call", id: 7, method: "POST", path: "/api/x/one/count", body: { text: "a b" } })).toEqual({ type: "answer", id: 7, value: { words: 2 } });
  const [path, init] = fetched.mock.calls[0] ?? [];
  expect([path, init?.method, init?.body]).toEqual(["/api/x/one/count", "POST", '{"text":"a b"}']);
  expect((init?.headers as Record<string, string>).authorization).toBe("Bearer ts_s_1");
});

test("a refusal comes back with its code, and a bad address without a request", async () => {
  const { fetched, ask } = page(() => Response.json({ code: "forbidden", detail: "Not you.", request_id: "r1" }, { status: 403 }));
  expect(await ask({ type: "call", id: 1, method: "GET", path: "/api/notes" })).toEqual({
    type: "refusal", id: 1, refusal: { message: "Not you.", status: 403, code: "forbidden", requestId: "r1" },
  }); // prettier-ignore
  expect(await ask({ type: "call", id: 2, method: "GET", path: "/mcp" })).toMatchObject({ type: "refusal", id: 2, refusal: { code: "not_sent" } });
  expect(fetched).toHaveBeenCalledTimes(1);
});

test("a stream is not read", async () => {
  const { ask } = page(() => new Response("data: 1\n\n", { headers: { "content-type": "text/event-stream" } }));
  expect(await ask({ type: "call", id: 3, method: "GET", path: "/api/events" })).toMatchObject({ type: "refusal", id: 3 });
});
