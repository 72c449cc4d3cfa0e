/** Uploads of this tab: continue across navigation, and end with the session. */

import { useSyncExternalStore } from "react";

import { answer, api, Refusal } from "@/api/client";
import { token } from "@/api/token";
import { isTaken, put } from "@/api/upload";
import type { Visibility } from "@/ui/writing/text";

import type { Found } from "./entries";
import { discard, discardRecord, isLong, sendParts, storedParts } from "./parts";
import { persistently } from "./persistence";
import { Uploads, type Sending, type Upload } from "./queue";
import { forgetAll, printOf, recordOf, records } from "./records";
import { uploading } from "./uploading";

/** Browsers can miss an error response in the middle of a large upload: check large files first. */
const LONG = 256 * 1024;

async function send(sending: Sending): Promise<{ id: string }> {
  const { key, file, replaces } = sending;
  const isBegun = recordOf(key, printOf(file)) !== undefined;
  if (!replaces && !isBegun && file.size > LONG && (await isTaken(key))) throw new Refusal(412, { code: "version_mismatch" });
  return isLong(file) ? sendParts(sending) : sendWhole(sending);
}

async function sendWhole({ key, file, replaces, visibility, onSent, onLost, signal }: Sending): Promise<{ id: string }> {
  const headers: Record<string, string> = { "content-type": file.type || "application/octet-stream" };
  const way = replaces ? { headers } : { headers: { ...headers, "if-none-match": "*" }, query: { visibility } };
  let wasLost = false;
  const lost = (now: boolean): void => {
    wasLost = true;
    onLost(now);
  };
  try {
    return await persistently(() => put(key, file, { ...way, onSent, signal }), signal, lost);
  } catch (fault) {
    const stored = wasLost && fault instanceof Refusal && fault.status === 412 ? await alreadyThere(key, file) : undefined;
    if (!stored) throw fault;
    return stored;
  }
}

/** The same bytes at the key: the response was lost, not the file. */
async function alreadyThere(key: string, file: File): Promise<{ id: string } | undefined> {
  const { items } = await answer(api.GET("/api/repo", { params: { query: { prefix: key, limit: 1 } } }));
  const [found] = items;
  if (found?.key !== key || found.size !== file.size || !globalThis.crypto?.subtle) return undefined;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  const sha256 = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return found.sha256 === sha256 ? found : undefined;
}

export const uploads = new Uploads(send, ({ key, file, upload }) => {
  if (file) return void discard(key, file);
  const record = records().find((each) => each.upload === upload);
  if (record) void discardRecord(record);
});

// What a reload has interrupted: the browser no longer has the files, but the server has their first parts.
for (const { upload, key, size, modified } of records()) {
  uploads.restore({ upload, key, size, modified });
  void storedParts(upload).then(
    (parts) => uploads.restored(upload, [...parts.values()].reduce((sum, each) => sum + each, 0)),
    () => undefined,
  );
}

// The next user mustn't see them, either.
token.subscribe(() => {
  if (token.get() !== null) return;
  uploads.cancelAll();
  uploads.clear();
  forgetAll();
  uploading.close();
});

window.addEventListener("beforeunload", (event) => {
  if (uploads.busy) event.preventDefault();
});

export function upload(found: readonly Found[], folder: string, visibility: Visibility): void {
  uploads.add(found.map(({ file, path }) => ({ file, key: folder + path })), visibility);
  uploading.open();
}

export function useUploads(): readonly Upload[] {
  return useSyncExternalStore(uploads.subscribe, () => uploads.snapshot);
}
