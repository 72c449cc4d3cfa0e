/** Images of own files, by signed addresses of the server; nothing is ever fetched from elsewhere. */

import { answer, api } from "@/api/client";
import { token } from "@/api/token";

/** Larger ones are a link. */
export const LARGEST = 25_000_000;
const SHOWN = /^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/;
const MOST = 500;
/** An address is replaced before it ends: an image further down may be loaded later. */
const SPARE_MS = 10 * 60_000;

interface Kept {
  address: Promise<string | null>;
  /** When another one is asked for; unknown while the first is. */
  until: number;
}

const kept = new Map<string, Kept>();

/** The address of a file's image, for this session; null if it's no image, too large, or not to be read by the person. */
export function pictureOf(id: string): Promise<string | null> {
  const known = kept.get(id);
  if (known && known.until > Date.now()) return known.address;
  const made: Kept = { address: Promise.resolve(null), until: Infinity };
  made.address = asked(id, made).catch(() => {
    forgetPicture(id);
    return null;
  });
  kept.set(id, made);
  for (const old of [...kept.keys()].slice(0, Math.max(0, kept.size - MOST))) forgetPicture(old);
  return made.address;
}

/** The address didn't work: the next one is new. */
export const forgetPicture = (id: string): void => void kept.delete(id);

async function asked(id: string, made: Kept): Promise<string | null> {
  const file = await answer(api.GET("/api/repo-obj/{id}", { params: { path: { id } } }));
  if (!SHOWN.test(file.content_type) || file.size > LARGEST) return null;
  const { address, expires_at: ends } = await answer(api.GET("/api/repo-obj/{id}/address", { params: { path: { id }, query: { version: file.version } } }));
  made.until = Date.parse(ends) - SPARE_MS;
  return address;
}

// Addresses end with the session, and the next person may not be allowed to see what they name.
token.subscribe(() => kept.clear());
