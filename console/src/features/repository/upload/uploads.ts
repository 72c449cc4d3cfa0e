/** Uploads of this tab: continue across navigation, and end with the session. */

import { useSyncExternalStore } from "react";

import { Refusal } from "@/api/client";
import { token } from "@/api/token";
import { isTaken, put } from "@/api/upload";
import type { Visibility } from "@/ui/writing/text";

import type { Found } from "./entries";
import { Uploads, type Sending, type Upload } from "./queue";
import { uploading } from "./uploading";

/** Browsers can miss an error response in the middle of a large upload: check large files first. */
const LONG = 256 * 1024;

async function send({ key, file, replaces, visibility, onSent, signal }: Sending): Promise<{ id: string }> {
  if (!replaces && file.size > LONG && (await isTaken(key))) throw new Refusal(412, { code: "version_mismatch" });
  const headers: Record<string, string> = { "content-type": file.type || "application/octet-stream" };
  if (replaces) return put(key, file, { headers, onSent, signal });
  return put(key, file, { headers: { ...headers, "if-none-match": "*" }, query: { visibility }, onSent, signal });
}

export const uploads = new Uploads(send);

// The next user mustn't see them, either.
token.subscribe(() => {
  if (token.get() !== null) return;
  uploads.cancelAll();
  uploads.clear();
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
