/** Languages that were used last, in this browser. */

type Shelf = Pick<Storage, "getItem" | "setItem">;

const MOST = 5;

const keyOf = (userId: string): string => `teamspace.languages.${userId}`;

/** Latest first. */
export function recentLanguages(userId: string, shelf: Shelf): string[] {
  try {
    const kept: unknown = JSON.parse(shelf.getItem(keyOf(userId)) ?? "[]");
    return Array.isArray(kept) ? kept.filter((code) => typeof code === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}

export function rememberLanguage(userId: string, code: string, shelf: Shelf): void {
  const latest = [code, ...recentLanguages(userId, shelf).filter((other) => other !== code)].slice(0, MOST);
  try {
    shelf.setItem(keyOf(userId), JSON.stringify(latest));
  } catch {
    // Storage full or blocked: the list stays as it was.
  }
}
