/** Thumbnails from the server, a few at a time. */

import { api, Refusal } from "@/api/client";

export type ThumbnailSize = "small" | "large";

const DRAWN = /^(image\/(png|jpeg|gif|webp|avif|bmp|tiff)|application\/pdf)$/;
/** The server draws none of larger files. */
const LARGEST = 100 * 1024 * 1024;
/** A row that is scrolled past isn't asked for. */
const PAUSE_MS = 120;
/** The browser has six connections; the first time, each takes the server a moment. */
const MOST_AT_ONCE = 3;

export const isDrawn = (file: { content_type: string; size: number }): boolean => DRAWN.test(file.content_type) && file.size > 0 && file.size <= LARGEST;

let running = 0;
const waiting: (() => void)[] = [];

/** The picture; null if the file has none. */
export async function fetchThumbnail(id: string, version: number, size: ThumbnailSize, signal: AbortSignal): Promise<Blob | null> {
  await new Promise((resume) => setTimeout(resume, PAUSE_MS));
  if (running >= MOST_AT_ONCE) await new Promise<void>((resume) => waiting.push(resume));
  running++;
  try {
    signal.throwIfAborted();
    const { data } = await api.GET("/api/repo-obj/{id}/thumbnail", { params: { path: { id }, query: { version, size } }, parseAs: "blob", signal });
    return data as Blob;
  } catch (fault) {
    if (fault instanceof Refusal && fault.status === 404) return null;
    throw fault;
  } finally {
    running--;
    waiting.shift()?.();
  }
}
