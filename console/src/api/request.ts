/** Requests to addresses that the API's description doesn't name, such as a plugin's routes and files. */

import { t } from "@/i18n";
import { retryWhileBusy } from "@/net/busy";
import { checkServer } from "@/net/reachability";

import { Refusal, refused } from "./client";
import { asPerson } from "./renewing";

/** The response as the signed-in person; a refusal is thrown, as everywhere. */
export async function request(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { accept: "application/json, */*" };
  if (body !== undefined) headers["content-type"] = "application/json";
  const response = await sent(path, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) });
  if (!response.ok) throw await refused(response);
  return response;
}

async function sent(path: string, init: RequestInit): Promise<Response> {
  try {
    return await asPerson((bearer) =>
      retryWhileBusy(() => fetch(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${bearer ?? ""}` } }), init.signal),
    );
  } catch (fault) {
    if (init.signal?.aborted) throw fault;
    void checkServer();
    throw new Refusal(0, { title: t("state.failed"), detail: t("state.unreachable.words") });
  }
}
