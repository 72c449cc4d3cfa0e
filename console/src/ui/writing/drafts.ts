/** Text that the server does not have yet: kept in this browser from the first key until it is saved. */

import type { Manner, Written } from "./text";

export interface Draft<Text extends Written = Written> {
  text: Text;
  /** What the text was made from: the base of a merge, should others have written meanwhile. */
  base: Text;
  version: number;
  at: string;
}

export interface Drafts<Text extends Written> {
  find(id: string): Draft<Text> | null;
  /** False when it is not kept: it is too large, or the browser is full, or forbids it. */
  keep(id: string, draft: Draft<Text>): boolean;
  drop(id: string): void;
}

type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** Of one person in this browser; the oldest makes room. */
export const MOST_DRAFTS = 20;
/** Written anew with every key: more would be felt. */
export const MOST_LETTERS = 1_000_000;

const PREFIX = "teamspace.draft";

/** The keys of everything that one person has not saved. */
function keysOf(userId: string, shelf: Shelf): string[] {
  const keys = Array.from({ length: shelf.length }, (_, place) => shelf.key(place) ?? "");
  return keys.filter((key) => key.startsWith(`${PREFIX}.`) && key.split(".")[3] === userId);
}

/** Whether this browser holds text of somebody that the server does not have. */
export const hasDrafts = (userId: string, shelf: Shelf): boolean => keysOf(userId, shelf).length > 0;

export function forgetDrafts(userId: string, shelf: Shelf): void {
  for (const key of keysOf(userId, shelf)) shelf.removeItem(key);
}

function makeRoom(userId: string, shelf: Shelf): void {
  const byAge = keysOf(userId, shelf).sort((one, other) => timeOf(shelf.getItem(one)).localeCompare(timeOf(shelf.getItem(other))));
  for (const key of byAge.slice(0, Math.max(0, byAge.length - MOST_DRAFTS + 1))) shelf.removeItem(key);
}

/** When a draft was written; what is none was never. */
function timeOf(stored: string | null): string {
  try {
    return String((JSON.parse(stored ?? "") as Draft).at);
  } catch {
    return "";
  }
}

/** One person's drafts: on a shared computer nobody is offered the text of somebody else. */
export function draftsOf<Text extends Written>(manner: Manner<Text>, userId: string, shelf: Shelf): Drafts<Text> {
  const key = (id: string): string => `${PREFIX}.${manner.name}.${userId}.${id}`;
  return {
    find(id) {
      try {
        return parsed(manner, shelf.getItem(key(id)));
      } catch {
        return null;
      }
    },
    keep(id, draft) {
      try {
        const text = JSON.stringify(draft);
        if (text.length > MOST_LETTERS) return false;
        if (shelf.getItem(key(id)) === null) makeRoom(userId, shelf);
        shelf.setItem(key(id), text);
        return true;
      } catch {
        return false;
      }
    },
    drop(id) {
      try {
        shelf.removeItem(key(id));
      } catch {
        // A browser that forbids storage has nothing to remove either.
      }
    },
  };
}

function parsed<Text extends Written>(manner: Manner<Text>, stored: string | null): Draft<Text> | null {
  if (stored === null) return null;
  const draft = JSON.parse(stored) as Partial<Draft<Text>> | null;
  const whole = isText(manner, draft?.text) && isText(manner, draft?.base) && typeof draft?.version === "number" && typeof draft?.at === "string";
  return whole ? (draft as Draft<Text>) : null;
}

/** It has every field of its kind, each of the right sort. */
function isText<Text extends Written>({ empty }: Manner<Text>, value: unknown): value is Text {
  const text = (value ?? {}) as Record<string, unknown>;
  return Object.entries(empty).every(
    ([field, sample]) => typeof text[field] === typeof sample && Array.isArray(text[field]) === Array.isArray(sample),
  );
}
