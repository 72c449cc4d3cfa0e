/** Replacements in a text: what an editor changed, and those that turn one text into another. */

import type { ChangeSet } from "@codemirror/state";

import { hunks } from "@/ui/writing/hunks";

export interface Splice {
  from: number;
  to: number;
  insert: string;
}

/** The smallest one; null when the texts are equal. CRLF is normalized, since the editor only knows LF. */
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

const LINES = /[^\n]*\n|[^\n]+$/g;
const WORDS = /[\p{L}\p{N}\p{M}_]+|[^\p{L}\p{N}\p{M}_]/gu;

/** One for each place that differs, in order: what is between them isn't touched, nor what stands or was done there. */
export const splicesTo = (present: string, wanted: string): Splice[] => splicesBy([LINES, WORDS], present, wanted.replace(/\r\n?/g, "\n"), 0);

function splicesBy([pattern, ...finer]: RegExp[], present: string, wanted: string, at: number): Splice[] {
  if (!pattern) {
    const change = spliced(present, wanted);
    return change ? [{ from: change.from + at, to: change.to + at, insert: change.insert }] : [];
  }
  const [ours, theirs] = [present.match(pattern) ?? [], wanted.match(pattern) ?? []];
  const found: Splice[] = [];
  let [place, passed] = [0, at];
  for (const { from, to, otherFrom, otherTo } of hunks(ours, theirs)) {
    const original = ours.slice(from, to).join("");
    passed += ours.slice(place, from).join("").length;
    found.push(...splicesBy(finer, original, theirs.slice(otherFrom, otherTo).join(""), passed));
    passed += original.length;
    place = to;
  }
  return found;
}

/** What an editor changed, in order. */
export function splicesOf(changes: ChangeSet): Splice[] {
  const found: Splice[] = [];
  changes.iterChanges((from, to, _from, _to, inserted) => found.push({ from, to, insert: inserted.toString() }));
  return found;
}
