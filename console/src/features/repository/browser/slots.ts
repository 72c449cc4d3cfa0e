/**
 * Slots of a list that shows a window of its rows: a row that comes into sight takes over the elements of one that has left
 * it, which is far cheaper than making new ones.
 */
export class Slots {
  private taken = new Map<number, number>();

  /** The slot of each row: the one that it has, or a free one. */
  assign(rows: readonly number[]): ReadonlyMap<number, number> {
    const next = new Map<number, number>();
    const used = new Set<number>();
    for (const row of rows) {
      const slot = this.taken.get(row);
      if (slot === undefined) continue;
      next.set(row, slot);
      used.add(slot);
    }
    let free = 0;
    for (const row of rows) {
      if (next.has(row)) continue;
      while (used.has(free)) free += 1;
      next.set(row, free);
      used.add(free);
    }
    this.taken = next;
    return next;
  }
}
