/** Images of own files, fetched as the signed-in person; nothing is ever fetched from elsewhere. */

import { answer, api } from "@/api/client";
import { token } from "@/api/token";

/** Larger ones are a link. */
export const LARGEST = 25_000_000;
const SHOWN = /^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/;
const MOST = 60;

const kept = new Map<string, Promise<string | null>>();

/** The address of a file's image in this tab; null if it's no image, too large, or not to be read by the person. */
export function pictureOf(id: string): Promise<string | null> {
  const known = kept.get(id);
  if (known) return known;
  const made = fetched(id).catch(() => {
    kept.delete(id);
    return null;
  });
  kept.set(id, made);
  // A drawn image stays when its address ends.
  for (const old of [...kept.keys()].slice(0, Math.max(0, kept.size - MOST))) drop(old);
  return made;
}

async function fetched(id: string): Promise<string | null> {
  const file = await answer(api.GET("/api/repo-obj/{id}", { params: { path: { id } } }));
  if (!SHOWN.test(file.content_type) || file.size > LARGEST) return null;
  const { data } = await api.GET("/api/repo-obj/{id}/content", { params: { path: { id }, query: { version: file.version } }, parseAs: "blob" });
  return URL.createObjectURL(new Blob([data as Blob], { type: file.content_type }));
}

function drop(id: string): void {
  void kept.get(id)?.then((address) => address && URL.revokeObjectURL(address));
  kept.delete(id);
}

// The next person may not be allowed to see them.
token.subscribe(() => {
  if (token.get() === null) [...kept.keys()].forEach(drop);
});
