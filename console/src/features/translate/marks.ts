/** Marks in a text: terms of the glossary, and the block that a check is about. */

import type { Range } from "./blocks";

export interface Piece {
  text: string;
  /** A term of the glossary. */
  term: boolean;
  /** In the block that is looked at. */
  inBlock: boolean;
}

/** Scripts that are written without spaces: a term can be anywhere. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Where terms are, in any case; `inflected` includes the rest of the word. */
export function termsIn(text: string, terms: readonly string[], inflected = false): Range[] {
  const known = terms.filter((term) => term.trim() !== "");
  if (known.length === 0) return [];
  // Longer terms first: “quay wall” isn't “quay”.
  const sorted = [...known].sort((one, other) => other.length - one.length);
  const pattern = new RegExp(sorted.map((term) => patternOf(term, inflected)).join("|"), "giu");
  return [...text.matchAll(pattern)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
}

function patternOf(term: string, inflected: boolean): string {
  const escaped = term.trim().replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/\s+/g, "\\s+");
  if (UNSPACED.test(term)) return escaped;
  return `(?<![\\p{L}\\p{N}])${escaped}${inflected ? "\\p{L}*" : "(?![\\p{L}\\p{N}])"}`;
}

/** The text cut where marks begin and end. */
export function piecesOf(text: string, terms: readonly Range[], block?: Range): Piece[] {
  const cuts = [0, text.length, ...terms.flatMap(({ start, end }) => [start, end]), ...(block ? [block.start, block.end] : [])];
  const places = [...new Set(cuts)].sort((one, other) => one - other);
  const covers = (range: Range | undefined, at: number): boolean => range !== undefined && range.start <= at && at < range.end;
  let next = 0;
  return places.slice(0, -1).map((start, place) => {
    while ((terms[next]?.end ?? Infinity) <= start) next += 1;
    return { text: text.slice(start, places[place + 1]), term: covers(terms[next], start), inBlock: covers(block, start) };
  });
}
