/** Editing sessions of this tab: one per item, across navigation. */

import { useState, useSyncExternalStore } from "react";

import { token } from "@/api/token";
import { useSession, type Whoami } from "@/session";

import { draftsOf, NEW } from "./drafts";
import type { Kept, Written } from "./text";
import { Writing, type Desk, type Snapshot } from "./writing";

const PATIENCE = 3_000;
const open = new Map<string, Writing>();

/** The session of an item, reused if open. */
export function writingOf<Text extends Written>({ user, team }: Whoami, kept: Kept<Text> | null, desk: Desk<Text>): Writing<Text> {
  const address = (id: string): string => `${desk.manner.name}/${user.id}/${id}`;
  const key = address(kept?.id ?? NEW);
  const live = open.get(key) as Writing<Text> | undefined;
  if (live) return live;
  const saved = (now: Kept<Text>, wasNew: boolean): void => {
    if (wasNew) move(key, address(now.id));
    desk.saved(now, wasNew);
  };
  const writing = new Writing({ ...desk, saved }, draftsOf(desk.manner, user.id, team.id, localStorage), kept);
  open.set(key, writing);
  return writing;
}

function move(from: string, to: string): void {
  const writing = open.get(from);
  if (!writing) return;
  open.delete(from);
  open.set(to, writing);
}

/** On unmount: saves what's unsaved, and drops a session with nothing left to do. */
export async function leave(writing: Writing): Promise<void> {
  await writing.flush();
  if (!writing.settled) return;
  for (const [key, one] of open) if (one === writing) open.delete(key);
}

/** Keeps the same session while a new item gets its ID, so the editor isn't interrupted. */
export function useWritingOf<Text extends Written>(kept: Kept<Text> | null, desk: Desk<Text>): Writing<Text> {
  const { me } = useSession();
  const [held, setHeld] = useState(() => writingOf(me, kept, desk));
  if (held.isFor(kept?.id ?? NEW)) return held;
  const other = writingOf(me, kept, desk);
  setHeld(other);
  return other;
}

export function useWriting<Text extends Written>(writing: Writing<Text>): Snapshot<Text> {
  return useSyncExternalStore(writing.subscribe, () => writing.snapshot);
}

/** Saves everything; resolves when all responses are in, or after a timeout. */
export async function saveAll(): Promise<void> {
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE));
  await Promise.race([Promise.all([...open.values()].map((writing) => writing.flush())), late]);
}

/** Whether everything that was written here is saved. */
export const isAllSaved = (): boolean => [...open.values()].every((writing) => !writing.isUnsaved);

/** Whether something is neither saved nor kept in this browser. */
export const isAnyAtRisk = (): boolean => [...open.values()].some((writing) => writing.isAtRisk);

/** Changes to another team. What isn't saved belongs to the one that is left: it's sent neither meanwhile nor afterwards. */
export async function leaveTeam(change: () => Promise<unknown>): Promise<void> {
  open.forEach((writing) => writing.stop());
  try {
    await change();
    open.clear();
  } catch (fault) {
    open.forEach((writing) => writing.resume());
    throw fault;
  }
}

const flushAll = (): void => void saveAll();

// One user's text must not be sent with the next user's token.
token.subscribe(() => {
  if (token.get() !== null) return;
  open.forEach((writing) => writing.stop());
  open.clear();
});

if (typeof window !== "undefined") {
  window.addEventListener("online", flushAll);
  window.addEventListener("pagehide", flushAll);
  window.addEventListener("beforeunload", (event) => {
    if (isAnyAtRisk()) event.preventDefault();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") flushAll();
  });
}
