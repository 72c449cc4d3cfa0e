/** Texts that were typed and not sent: they outlast another row, another screen and a reload of the tab. */

import { useState } from "react";

import { useSession } from "@/session";

export interface Unsent {
  text: string;
  /** What the translation was when typing began. */
  base: string;
}

type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem">;
type Kept = Readonly<Record<string, Unsent>>;

const isUnsent = (value: unknown): value is Unsent =>
  typeof value === "object" && value !== null && "text" in value && "base" in value && typeof value.text === "string" && typeof value.base === "string";

export function readUnsent(name: string, shelf: Shelf): Kept {
  try {
    const kept = JSON.parse(shelf.getItem(name) ?? "{}") as Record<string, unknown>;
    return Object.fromEntries(Object.entries(kept).filter((entry): entry is [string, Unsent] => isUnsent(entry[1])));
  } catch {
    return {};
  }
}

export function keepUnsent(name: string, kept: Kept, shelf: Shelf): void {
  try {
    if (Object.keys(kept).length > 0) shelf.setItem(name, JSON.stringify(kept));
    else shelf.removeItem(name);
  } catch {
    // Storage full or blocked: the texts last as long as the screen.
  }
}

/** What a text is after a keystroke: back to what it was isn't a change. */
export function typed(kept: Kept, id: string, text: string, current: string): Kept {
  const { [id]: before, ...others } = kept;
  const base = before?.base ?? current;
  return text === base && base === current ? others : { ...others, [id]: { text, base } };
}

export interface Drafts {
  of: (id: string) => Unsent | undefined;
  type: (id: string, text: string, current: string) => void;
  drop: (id: string) => void;
}

export function useUnsent(locale: string): Drafts {
  const { me } = useSession();
  const name = `teamspace.l10n.${me.user.id}.${locale}`;
  const [kept, setKept] = useState(() => readUnsent(name, sessionStorage));
  const change = (turn: (before: Kept) => Kept): void =>
    setKept((before) => {
      const after = turn(before);
      keepUnsent(name, after, sessionStorage);
      return after;
    });
  return {
    of: (id) => kept[id],
    type: (id, text, current) => change((before) => typed(before, id, text, current)),
    drop: (id) => change((before) => Object.fromEntries(Object.entries(before).filter(([name]) => name !== id))),
  };
}
