/** Three-way line merge, with conflicts. */

import { withoutEndings } from "@/ui/markdown/endings";

import { hunks, type Hunk } from "./hunks";

export type Piece =
  | { kind: "same" | "mine" | "theirs"; lines: string[] }
  | { kind: "both"; mine: string[]; theirs: string[]; base: string[] };

export type Choice = "mine" | "theirs" | "both";

/** Without their endings, which differ by where a text was written. */
export const linesOf = (text: string): string[] => withoutEndings(text).split("\n");

/** The merge in pieces; pieces of kind `both` are conflicts. */
export function merge(base: string[], mine: string[], theirs: string[], joins = true): Piece[] {
  const pieces: Piece[] = [];
  let done = 0;
  let mineDone = 0;
  let theirsDone = 0;
  for (const region of regions(hunks(base, mine), hunks(base, theirs), joins)) {
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

/** Changed ranges of the base. Adjacent changes are one range if changes join; text put in at one place always is. */
function regions(mine: Hunk[], theirs: Hunk[], joins: boolean): Region[] {
  const all = [
    ...mine.map((hunk) => ({ hunk, isMine: true })),
    ...theirs.map((hunk) => ({ hunk, isMine: false })),
  ].sort((one, other) => one.hunk.from - other.hunk.from || one.hunk.to - other.hunk.to);
  const found: Region[] = [];
  for (const { hunk, isMine } of all) {
    const growth = hunk.otherTo - hunk.otherFrom - (hunk.to - hunk.from);
    let region = found.at(-1);
    const isApart = (last: Region): boolean =>
      hunk.from > last.to || (!joins && hunk.from === last.to && !(hunk.from === hunk.to && last.from === last.to));
    if (!region || isApart(region)) {
      region = { from: hunk.from, to: hunk.to, mineGrowth: 0, theirsGrowth: 0 };
      found.push(region);
    }
    region.to = Math.max(region.to, hunk.to);
    if (isMine) region.mineGrowth += growth;
    else region.theirsGrowth += growth;
  }
  return found;
}

/** The merged text; conflicts by the choice for each (default: both, one after the other). */
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
