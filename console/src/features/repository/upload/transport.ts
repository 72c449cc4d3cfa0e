/** Bytes on their way to the server: by the one means of a browser that tells how far they are. */

import { answer, api, Refusal, refused, type Schemas } from "@/api/client";
import { patiently } from "@/api/patience";
import { token } from "@/api/token";
import { t } from "@/i18n";

export interface Way {
  headers?: Record<string, string>;
  query?: Record<string, string>;
  onSent?: (bytes: number) => void;
  signal?: AbortSignal;
}

/** A key gets its first version, or the next one. */
export async function put(key: string, body: Blob, way: Way = {}): Promise<Schemas["Object"]> {
  const response = await patiently(() => send(addressOf(key, way.query), body, way));
  if (!response.ok) throw await refused(response);
  return (await response.json()) as Schemas["Object"];
}

export function addressOf(key: string, query: Record<string, string> = {}): string {
  const asked = new URLSearchParams(query).toString();
  return `/api/repo/${key.split("/").map(encodeURIComponent).join("/")}${asked && `?${asked}`}`;
}

/** Whether there is something at a key that the caller can see. */
export async function isTaken(key: string): Promise<boolean> {
  const found = await answer(api.GET("/api/repo", { params: { query: { prefix: key, limit: 1 } } }));
  return found.items[0]?.key === key;
}

function send(address: string, body: Blob, { headers = {}, onSent, signal }: Way): Promise<Response> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const request = new XMLHttpRequest();
    request.open("PUT", address);
    for (const [name, value] of Object.entries({ ...headers, authorization: `Bearer ${token.get() ?? ""}` })) {
      request.setRequestHeader(name, value);
    }
    request.upload.onprogress = ({ loaded }) => onSent?.(loaded);
    request.onload = () => resolve(responseOf(request));
    request.onerror = () => reject(new Refusal(0, { title: t("files.fault.unreachable"), detail: t("files.fault.unreachable.words") }));
    request.onabort = () => reject(signal?.reason as Error);
    signal?.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}

/** As `fetch` would have it. */
function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/[\r\n]+/)) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return new Response(request.responseText, { status: request.status, statusText: request.statusText, headers });
}
