/** Lines compared and merged: what two texts made of a third, and where they cannot both be right. */

import { same, type NoteText } from "../text";

/** A stretch of one text that stands where a stretch of another stood: `[from, to)` in each. */
export interface Hunk {
  from: number;
  to: number;
  otherFrom: number;
  otherTo: number;
}

export type Piece =
  | { kind: "same" | "mine" | "theirs"; lines: string[] }
  | { kind: "both"; mine: string[]; theirs: string[]; base: string[] };

export type Choice = "mine" | "theirs" | "both";

/** Beyond this many differences a comparison stops looking for what is equal in between. */
const MOST_EDITS = 1500;

export const linesOf = (text: string): string[] => text.split("\n");

/** Where `other` differs from `one`, in order. */
export function hunks(one: string[], other: string[]): Hunk[] {
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start++;
  let end = 0;
  while (end < one.length - start && end < other.length - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const pairs = matches(one.slice(start, one.length - end), other.slice(start, other.length - end));
  const found: Hunk[] = [];
  let from = start;
  let otherFrom = start;
  for (const [left, right] of [...pairs, [one.length - end - start, other.length - end - start] as const]) {
    const to = left + start;
    const otherTo = right + start;
    if (to > from || otherTo > otherFrom) found.push({ from, to, otherFrom, otherTo });
    from = to + 1;
    otherFrom = otherTo + 1;
  }
  return found;
}

/** Pairs of indices of equal lines, as many as there can be (Myers); none when the texts are too far apart. */
function matches(one: string[], other: string[]): [number, number][] {
  const most = Math.min(one.length + other.length, MOST_EDITS);
  const offset = most + 1;
  const furthest = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    trace.push(furthest.slice(offset - edits - 1, offset + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down = diagonal === -edits || (diagonal !== edits && at(furthest, offset + diagonal - 1) < at(furthest, offset + diagonal + 1));
      let x = down ? at(furthest, offset + diagonal + 1) : at(furthest, offset + diagonal - 1) + 1;
      while (x < one.length && x - diagonal < other.length && one[x] === other[x - diagonal]) x++;
      furthest[offset + diagonal] = x;
      if (x >= one.length && x - diagonal >= other.length) return walkBack(trace, one.length, other.length);
    }
  }
  return [];
}

const at = (numbers: Int32Array, index: number): number => numbers[index] ?? 0;

function walkBack(trace: Int32Array[], length: number, otherLength: number): [number, number][] {
  const pairs: [number, number][] = [];
  let x = length;
  let y = otherLength;
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const furthest = trace[edits] as Int32Array;
    const middle = edits + 1;
    const diagonal = x - y;
    const down =
      diagonal === -edits || (diagonal !== edits && at(furthest, middle + diagonal - 1) < at(furthest, middle + diagonal + 1));
    const before = diagonal + (down ? 1 : -1);
    const beforeX = edits === 0 ? 0 : at(furthest, middle + before);
    const beforeY = edits === 0 ? 0 : beforeX - before;
    while (x > beforeX && y > beforeY) pairs.push([--x, --y]);
    x = beforeX;
    y = beforeY;
  }
  return pairs.reverse();
}

/** The three-way merge, piece by piece; a piece of kind `both` needs a person. */
export function merge(base: string[], mine: string[], theirs: string[]): Piece[] {
  const pieces: Piece[] = [];
  let done = 0;
  let mineDone = 0;
  let theirsDone = 0;
  for (const region of regions(hunks(base, mine), hunks(base, theirs))) {
    const before = base.slice(done, region.from);
    if (before.length > 0) pieces.push({ kind: "same", lines: before });
    mineDone += before.length;
    theirsDone += before.length;
    const original = base.slice(region.from, region.to);
    const ours = mine.slice(mineDone, mineDone + original.length + region.mineGrowth);
    const yours = theirs.slice(theirsDone, theirsDone + original.length + region.theirsGrowth);
    pieces.push(pieceOf(original, ours, yours));
    mineDone += ours.length;
    theirsDone += yours.length;
    done = region.to;
  }
  if (done < base.length) pieces.push({ kind: "same", lines: base.slice(done) });
  return pieces;
}

function pieceOf(base: string[], mine: string[], theirs: string[]): Piece {
  if (equal(mine, theirs)) return { kind: "same", lines: mine };
  if (equal(theirs, base)) return { kind: "mine", lines: mine };
  if (equal(mine, base)) return { kind: "theirs", lines: theirs };
  return { kind: "both", mine, theirs, base };
}

const equal = (one: string[], other: string[]): boolean =>
  one.length === other.length && one.every((line, index) => line === other[index]);

interface Region {
  from: number;
  to: number;
  mineGrowth: number;
  theirsGrowth: number;
}

/** The stretches of the base that somebody changed; changes that touch are one stretch. */
function regions(mine: Hunk[], theirs: Hunk[]): Region[] {
  const all = [
    ...mine.map((hunk) => ({ hunk, isMine: true })),
    ...theirs.map((hunk) => ({ hunk, isMine: false })),
  ].sort((one, other) => one.hunk.from - other.hunk.from || one.hunk.to - other.hunk.to);
  const found: Region[] = [];
  for (const { hunk, isMine } of all) {
    const growth = hunk.otherTo - hunk.otherFrom - (hunk.to - hunk.from);
    let region = found.at(-1);
    if (!region || hunk.from > region.to) {
      region = { from: hunk.from, to: hunk.to, mineGrowth: 0, theirsGrowth: 0 };
      found.push(region);
    }
    region.to = Math.max(region.to, hunk.to);
    if (isMine) region.mineGrowth += growth;
    else region.theirsGrowth += growth;
  }
  return found;
}

/** The merged text; where both changed the same lines, by the choice at that place (both, one after the other, if none). */
export function compose(pieces: Piece[], choices: readonly Choice[]): string {
  let place = 0;
  return pieces
    .flatMap((piece) => {
      if (piece.kind !== "both") return piece.lines;
      const choice = choices[place++] ?? "both";
      if (choice === "both") return [...piece.mine, ...piece.theirs];
      return choice === "mine" ? piece.mine : piece.theirs;
    })
    .join("\n");
}

/** Tags and visibility never need a person: what I changed stays, what they added or removed stays too. */
export function mergeLabels(base: NoteText, mine: NoteText, theirs: NoteText): Pick<NoteText, "visibility" | "tags"> {
  const removed = new Set(base.tags.filter((tag) => !mine.tags.includes(tag)));
  const added = mine.tags.filter((tag) => !base.tags.includes(tag) && !theirs.tags.includes(tag));
  return {
    visibility: mine.visibility === base.visibility ? theirs.visibility : mine.visibility,
    tags: [...theirs.tags.filter((tag) => !removed.has(tag)), ...added],
  };
}

/** My text on top of theirs, when we did not both change the title or both change the body; else null. */
export function rebase(base: NoteText, mine: NoteText, theirs: NoteText): NoteText | null {
  const labels = mergeLabels(base, mine, theirs);
  const text: Partial<NoteText> = {};
  for (const field of ["title", "body"] as const) {
    // The server trims a title: blanks around it are nobody's change.
    const [was, ours, yours] = [base[field], mine[field], theirs[field]].map((value) => (field === "title" ? value.trim() : value));
    if (ours === was) text[field] = theirs[field];
    else if (yours === was || yours === ours) text[field] = mine[field];
    else return null;
  }
  const result = { ...mine, ...text, ...labels };
  return same(result, mine) ? mine : result;
}
