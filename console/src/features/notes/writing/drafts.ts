/** Text that the server does not have yet: kept in this browser from the first key until it is saved. */

import type { NoteText } from "../text";

export interface Draft {
  text: NoteText;
  /** What the text was made from: the base of a merge, should others have written meanwhile. */
  base: NoteText;
  version: number;
  at: string;
}

export interface Drafts {
  find: (id: string) => Draft | null;
  /** False when the browser would not keep it: it is full, or forbids it. */
  keep: (id: string, draft: Draft) => boolean;
  drop: (id: string) => void;
}

type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** One person's drafts: on a shared computer nobody is offered the text of somebody else. */
export function draftsOf(userId: string, shelf: Shelf): Drafts {
  const key = (id: string): string => `teamspace.draft.note.${userId}.${id}`;
  return {
    find(id) {
      try {
        return parsed(shelf.getItem(key(id)));
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

function parsed(stored: string | null): Draft | null {
  if (stored === null) return null;
  const draft = JSON.parse(stored) as Partial<Draft> | null;
  const whole = isText(draft?.text) && isText(draft?.base) && typeof draft?.version === "number" && typeof draft?.at === "string";
  return whole ? (draft as Draft) : null;
}

function isText(value: unknown): value is NoteText {
  const text = value as Partial<NoteText> | null | undefined;
  return typeof text?.title === "string" && typeof text.body === "string" && Array.isArray(text.tags);
}
