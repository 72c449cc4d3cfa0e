/** Replacements in a text: what an editor changed, and the smallest one that turns one text into another. */

import type { ChangeSet } from "@codemirror/state";

export interface Splice {
  from: number;
  to: number;
  insert: string;
}

/** Null when the texts are equal. CRLF is normalized, since the editor only knows LF. */
export function spliced(present: string, wanted: string): Splice | null {
  const text = wanted.replace(/\r\n?/g, "\n");
  if (text === present) return null;
  const shorter = Math.min(present.length, text.length);
  let from = 0;
  while (from < shorter && present[from] === text[from]) from++;
  let end = 0;
  while (end < shorter - from && present.at(-1 - end) === text.at(-1 - end)) end++;
  return { from, to: present.length - end, insert: text.slice(from, text.length - end) };
}

/** What an editor changed, in order. */
export function splicesOf(changes: ChangeSet): Splice[] {
  const found: Splice[] = [];
  changes.iterChanges((from, to, _from, _to, inserted) => found.push({ from, to, insert: inserted.toString() }));
  return found;
}
