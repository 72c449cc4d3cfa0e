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
  /** False when the browser would not keep it: it is full, or forbids it. */
  keep(id: string, draft: Draft<Text>): boolean;
  drop(id: string): void;
}

type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** One person's drafts: on a shared computer nobody is offered the text of somebody else. */
export function draftsOf<Text extends Written>(manner: Manner<Text>, userId: string, shelf: Shelf): Drafts<Text> {
  const key = (id: string): string => `teamspace.draft.${manner.name}.${userId}.${id}`;
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
        shelf.setItem(key(id), JSON.stringify(draft));
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
