/** The text to translate, stored in this browser until it's translated: a refusal or a closed tab loses nothing. */

export interface Draft {
  text: string;
  catalog: string;
  /** Empty for automatic detection. */
  source: string;
  /** Empty until it's chosen. */
  target: string;
}

export const NOTHING: Draft = { text: "", catalog: "", source: "", target: "" };

type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Per person; signing out deletes it. */
const keyOf = (userId: string): string => `teamspace.draft.translate.${userId}`;

export function foundDraft(userId: string, shelf: Shelf): Draft {
  const kept = { ...parsed(shelf.getItem(pairKeyOf(userId))), ...parsed(shelf.getItem(keyOf(userId))) };
  const text = (name: keyof Draft): string => (typeof kept[name] === "string" ? kept[name] : "");
  return { text: text("text"), catalog: text("catalog"), source: text("source"), target: text("target") };
}

function parsed(stored: string | null): Partial<Draft> {
  try {
    return JSON.parse(stored ?? "{}") as Partial<Draft>;
  } catch {
    return {};
  }
}

/** The languages stay chosen when nothing is left to translate. */
const pairKeyOf = (userId: string): string => `teamspace.translate.${userId}`;

/** Only what isn't translated yet is kept: the history has the rest. */
export function keepDraft(userId: string, draft: Draft, shelf: Shelf): void {
  try {
    if (draft.text.trim() || draft.catalog.trim()) shelf.setItem(keyOf(userId), JSON.stringify(draft));
    else shelf.removeItem(keyOf(userId));
    shelf.setItem(pairKeyOf(userId), JSON.stringify({ source: draft.source, target: draft.target }));
  } catch {
    // Storage full or blocked: the text is still in the field.
  }
}
