/**
 * Slots of a list that shows a window of its rows: a row that comes into sight takes over the elements of one that has left
 * it, which is far cheaper than making new ones. A row that comes while the list is scrolled fast is brief: only its name
 * is shown, until it slows down.
 */
export class Slots {
  private taken = new Map<number, number>();
  private brief = new Set<number>();

  /** The slot of each row: the one that it has, or a free one. */
  assign(rows: readonly number[], isFast = false): ReadonlyMap<number, number> {
    const next = new Map<number, number>();
    const used = new Set<number>();
    const brief = new Set<number>();
    for (const row of rows) {
      const slot = this.taken.get(row);
      if (slot === undefined) continue;
      next.set(row, slot);
      used.add(slot);
      if (isFast && this.brief.has(row)) brief.add(row);
    }
    let free = 0;
    for (const row of rows) {
      if (next.has(row)) continue;
      while (used.has(free)) free += 1;
      next.set(row, free);
      used.add(free);
      if (isFast) brief.add(row);
    }
    this.taken = next;
    this.brief = brief;
    return next;
  }

  isBrief(row: number): boolean {
    return this.brief.has(row);
  }
}

/** Rows that come into sight in a second, from which on nobody reads more than a name. */
const FAST = 60;
/** What is measured over: one turn of a wheel says little. */
const SPAN_MS = 250;

/** How fast a list is scrolled. */
export class Pace {
  private seen: { at: number; first: number }[] = [];

  /** Whether it's fast, now that `first` is the first row in sight. */
  isFast(first: number, at: number): boolean {
    this.seen = [...this.seen.filter((each) => at - each.at < SPAN_MS), { at, first }];
    let rows = 0;
    for (let place = 1; place < this.seen.length; place++) rows += Math.abs(this.seen[place]!.first - this.seen[place - 1]!.first);
    return rows * 1000 > FAST * SPAN_MS;
  }
}
