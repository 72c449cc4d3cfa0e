/** Uploads by XMLHttpRequest, which reports progress. */

import { t } from "@/i18n";
import { retryWhileBusy } from "@/net/busy";
import { checkServer } from "@/net/reachability";

import { answer, api, Refusal, refused, type Schemas } from "./client";
import { asPerson } from "./renewing";

export interface Way {
  headers?: Record<string, string>;
  query?: Record<string, string>;
  onSent?: (bytes: number) => void;
  signal?: AbortSignal;
}

/** Creates the object, or adds a version. */
export const put = (key: string, body: Blob, way: Way = {}): Promise<Schemas["RepositoryObject"]> => putTo(addressOf(key, way.query), body, way);

/** Stores a part of an upload; the same one can be sent again. */
export const putPart = (upload: string, number: number, body: Blob, way: Way): Promise<Schemas["UploadedPart"]> =>
  putTo(`/api/repo-uploads/${upload}/parts?number=${number}`, body, way);

async function putTo<T>(address: string, body: Blob, way: Way): Promise<T> {
  const response = await asPerson((bearer) => retryWhileBusy(() => send(address, body, way, bearer), way.signal));
  if (!response.ok) throw await refused(response);
  return (await response.json()) as T;
}

export function addressOf(key: string, query: Record<string, string> = {}): string {
  const asked = new URLSearchParams(query).toString();
  return `/api/repo/${key.split("/").map(encodeURIComponent).join("/")}${asked && `?${asked}`}`;
}

/** Whether a key exists and the user can see it. */
export async function isTaken(key: string): Promise<boolean> {
  const found = await answer(api.GET("/api/repo", { params: { query: { prefix: key, limit: 1 } } }));
  return found.items[0]?.key === key;
}

function send(address: string, body: Blob, { headers = {}, onSent, signal }: Way, bearer: string | null): Promise<Response> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const request = new XMLHttpRequest();
    request.open("PUT", address);
    for (const [name, value] of Object.entries({ ...headers, authorization: `Bearer ${bearer ?? ""}` })) {
      request.setRequestHeader(name, value);
    }
    request.upload.onprogress = ({ loaded }) => onSent?.(loaded);
    request.onload = () => resolve(responseOf(request));
    request.onerror = () => {
      void checkServer();
      reject(new Refusal(0, { title: t("files.fault.unreachable"), detail: t("files.fault.unreachable.words") }));
    };
    request.onabort = () => reject(signal?.reason as Error);
    signal?.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}

/** As a `fetch` response. */
function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/[\r\n]+/)) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return new Response(request.responseText, { status: request.status, statusText: request.statusText, headers });
}
