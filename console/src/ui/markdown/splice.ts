/** The one stretch in which a text differs from another, for an editor to replace. */

export interface Splice {
  from: number;
  to: number;
  insert: string;
}

/** Null when they are equal; an editor knows one kind of line end. */
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
