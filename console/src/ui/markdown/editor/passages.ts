/** Where a passage is that was read before; the text may have changed since. */

export interface Passage {
  from: number;
  text: string;
}

/** Null if it's gone, or there more than once at other places. */
export function placeOf(doc: string, { from, text }: Passage): number | null {
  if (doc.startsWith(text, from)) return from;
  const found = doc.indexOf(text);
  return found >= 0 && doc.indexOf(text, found + 1) < 0 ? found : null;
}
