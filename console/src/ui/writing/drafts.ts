/** Drafts: unsaved text stored in this browser from the first keystroke until it's saved. */

import { randomKey } from "@/api/randomKey";

import type { Manner, Written } from "./text";

export interface Draft<Text extends Written = Written> {
  text: Text;
  /** The version the text is based on, for a merge if others saved meanwhile. */
  base: Text;
  version: number;
  at: string;
  /** A save whose answer isn't known yet. */
  unanswered?: Unanswered<Text> | null;
  /** Where it was found; not stored. */
  place?: string;
}

/** A save that was sent: repeated unchanged, its key makes it one. */
export interface Unanswered<Text extends Written = Written> {
  key: string;
  text: Text;
}

/** Each session has its own: the same item can be open in several tabs. */
export interface Drafts<Text extends Written> {
  /** The newest that another session has left. */
  find(id: string): Draft<Text> | null;
  /** False if it couldn't be stored: too large, storage full or blocked. */
  keep(id: string, draft: Draft<Text>): boolean;
  /** Drops the session's own, or one that was found. */
  drop(id: string, found?: Draft<Text> | null): void;
}

type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** ID of an item that isn't on the server yet. */
export const NEW = "new";

/** Per person in this browser; the oldest is evicted. */
export const MOST_DRAFTS = 20;
/** Written on every keystroke: more would slow down typing. */
export const MOST_LETTERS = 1_000_000;

const PREFIX = "teamspace.draft";

/** Storage keys of a person's drafts. */
function keysOf(userId: string, shelf: Shelf): string[] {
  const keys = Array.from({ length: shelf.length }, (_, place) => shelf.key(place) ?? "");
  return keys.filter((key) => key.startsWith(`${PREFIX}.`) && key.split(".")[3] === userId);
}

/** Whether this browser has unsaved drafts of a person. */
export const hasDrafts = (userId: string, shelf: Shelf): boolean => keysOf(userId, shelf).length > 0;

export function forgetDrafts(userId: string, shelf: Shelf): void {
  for (const key of keysOf(userId, shelf)) shelf.removeItem(key);
}

function makeRoom(userId: string, shelf: Shelf): void {
  const byAge = keysOf(userId, shelf).sort((one, other) => timeOf(shelf.getItem(one)).localeCompare(timeOf(shelf.getItem(other))));
  for (const key of byAge.slice(0, Math.max(0, byAge.length - MOST_DRAFTS + 1))) shelf.removeItem(key);
}

/** When a draft was written; empty if it isn't one. */
function timeOf(stored: string | null): string {
  try {
    return String((JSON.parse(stored ?? "") as Draft).at);
  } catch {
    return "";
  }
}

/** What is stored of one kind of draft, whatever it consists of. */
export interface Stored<Value> {
  find(id: string): Value | null;
  keep(id: string, draft: Value & { at: string }): boolean;
  drop(id: string): void;
}

/** The drafts of one session. A new item belongs to the team in which it was begun. */
export function draftsOf<Text extends Written>(manner: Manner<Text>, userId: string, teamId: string, shelf: Shelf): Drafts<Text> {
  const session = randomKey();
  const stored = storedDrafts(manner.name, userId, shelf, (value) => parsed(manner, value as Partial<Draft<Text>> | null));
  const start = (id: string): string => (id === NEW ? `${NEW}-${teamId}.` : `${id}.`);
  const own = (id: string): string => start(id) + session;
  const shared = `${PREFIX}.${manner.name}.${userId}.`;
  return {
    find(id) {
      const places = keysOf(userId, shelf).filter((key) => key.startsWith(shared + start(id))).map((key) => key.slice(shared.length));
      const found = places.map((place) => ({ place, draft: stored.find(place) })).flatMap(({ place, draft }) => (draft ? { ...draft, place } : []));
      return found.sort((one, other) => other.at.localeCompare(one.at))[0] ?? null;
    },
    keep: (id, draft) => stored.keep(own(id), draft),
    drop: (id, found) => stored.drop(found?.place ?? own(id)),
  };
}

/** Drafts are per person: on a shared computer nobody is offered someone else's text. */
export function storedDrafts<Value>(name: string, userId: string, shelf: Shelf, parse: (value: unknown) => Value | null): Stored<Value> {
  const key = (id: string): string => `${PREFIX}.${name}.${userId}.${id}`;
  return {
    find(id) {
      try {
        return parse(JSON.parse(shelf.getItem(key(id)) ?? "null"));
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
        // If storage is blocked, there's nothing to remove.
      }
    },
  };
}

function parsed<Text extends Written>(manner: Manner<Text>, draft: Partial<Draft<Text>> | null): Draft<Text> | null {
  const sent = draft?.unanswered;
  if (sent && !(isText(manner, sent.text) && typeof sent.key === "string")) return null;
  const whole = isText(manner, draft?.text) && isText(manner, draft?.base) && typeof draft?.version === "number" && typeof draft?.at === "string";
  return whole ? (draft as Draft<Text>) : null;
}

/** Has every field of its kind, with the right type. */
function isText<Text extends Written>({ empty }: Manner<Text>, value: unknown): value is Text {
  const text = (value ?? {}) as Record<string, unknown>;
  return Object.entries(empty).every(
    ([field, sample]) => typeof text[field] === typeof sample && Array.isArray(text[field]) === Array.isArray(sample),
  );
}
