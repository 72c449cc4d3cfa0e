/** Side-by-side rows of two texts: equal lines once, different ones next to each other, long equal runs collapsed. */

import { hunks } from "../hunks";

export type Row =
  | { kind: "same"; line: string }
  | { kind: "folded"; lines: string[] }
  | { kind: "differs"; mine?: string; theirs?: string };

const AROUND = 3;

export function compare(mine: string[], theirs: string[]): Row[] {
  const rows: Row[] = [];
  let done = 0;
  for (const hunk of hunks(mine, theirs)) {
    rows.push(...folded(mine.slice(done, hunk.from), done === 0, false));
    const height = Math.max(hunk.to - hunk.from, hunk.otherTo - hunk.otherFrom);
    for (let row = 0; row < height; row++) {
      rows.push({
        kind: "differs",
        ...(hunk.from + row < hunk.to ? { mine: mine[hunk.from + row] } : {}),
        ...(hunk.otherFrom + row < hunk.otherTo ? { theirs: theirs[hunk.otherFrom + row] } : {}),
      });
    }
    done = hunk.to;
  }
  return [...rows, ...folded(mine.slice(done), done === 0, true)];
}

/** Equal lines: shown next to a difference, collapsed further away. */
export function folded(lines: string[], isFirst: boolean, isLast: boolean): Row[] {
  const head = isFirst ? 0 : AROUND;
  const tail = isLast ? 0 : AROUND;
  const plain = (some: string[]): Row[] => some.map((line) => ({ kind: "same", line }));
  if (lines.length <= head + tail + 1) return plain(lines);
  const end = lines.length - tail;
  return [...plain(lines.slice(0, head)), { kind: "folded", lines: lines.slice(head, end) }, ...plain(lines.slice(end))];
}
