/** The notes being written in this tab: each once, however often its screen comes and goes. */

import { useSyncExternalStore } from "react";

import type { Note } from "../text";
import { draftsOf } from "./drafts";
import { NEW, Writing, type Desk, type Snapshot } from "./writing";

const open = new Map<string, Writing>();
const address = (userId: string, id: string): string => `${userId}/${id}`;

/** The writing of a note, the one that is open if there is one. */
export function writingOf(userId: string, note: Note | null, desk: Desk): Writing {
  const key = address(userId, note?.id ?? NEW);
  const live = open.get(key);
  if (live) return live;
  const saved = (kept: Note, wasNew: boolean): void => {
    if (wasNew) move(key, address(userId, kept.id));
    desk.saved(kept, wasNew);
  };
  const writing = new Writing({ ...desk, saved }, draftsOf(userId, localStorage), note);
  open.set(key, writing);
  return writing;
}

function move(from: string, to: string): void {
  const writing = open.get(from);
  if (!writing) return;
  open.delete(from);
  open.set(to, writing);
}

/** The screen is gone: what is not saved is saved now, and a writing with nothing left to do is forgotten. */
export async function leave(writing: Writing): Promise<void> {
  await writing.flush();
  if (!writing.settled) return;
  for (const [key, one] of open) if (one === writing) open.delete(key);
}

export function useWriting(writing: Writing): Snapshot {
  return useSyncExternalStore(writing.subscribe, () => writing.snapshot);
}

const flushAll = (): void => open.forEach((writing) => void writing.flush());

if (typeof window !== "undefined") {
  window.addEventListener("online", flushAll);
  window.addEventListener("pagehide", flushAll);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") flushAll();
  });
}
