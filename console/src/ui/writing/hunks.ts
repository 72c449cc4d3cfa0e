/** Line diff. */

/** A range of one text that replaces a range of another: `[from, to)` in each. */
export interface Hunk {
  from: number;
  to: number;
  otherFrom: number;
  otherTo: number;
}

/** Above this many differences the diff stops looking for equal lines in between. */
const MOST_EDITS = 1500;

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

/** Index pairs of equal lines (Myers, longest common subsequence); empty if the texts differ too much. */
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
