import { describe, expect, test } from "vitest";

import { Pace, Slots } from "./slots";

const range = (first: number, count: number): number[] => Array.from({ length: count }, (_, place) => first + place);

describe("slots", () => {
  test("a row keeps its slot for as long as it is in sight", () => {
    const slots = new Slots();
    const before = slots.assign(range(0, 10));
    const after = slots.assign(range(3, 10));
    for (const row of range(3, 7)) expect(after.get(row)).toBe(before.get(row));
  });

  test("rows that come into sight take the slots of those that left it", () => {
    const slots = new Slots();
    slots.assign(range(0, 10));
    expect([...slots.assign(range(1_000, 10)).values()].sort((one, other) => one - other)).toEqual(range(0, 10));
  });

  test("no two rows share a slot, however the window moves and grows", () => {
    const slots = new Slots();
    for (let step = 0; step < 500; step++) {
      const rows = [...new Set([7, ...range((step * 37) % 400, 5 + (step % 30))])];
      const given = slots.assign(rows);
      expect(new Set(given.values()).size).toBe(rows.length);
    }
  });
});

describe("brief rows", () => {
  test("are those that come while the list is scrolled fast, until it slows down", () => {
    const slots = new Slots();
    slots.assign(range(0, 10));
    slots.assign(range(5, 10), true);
    expect(range(0, 20).filter((row) => slots.isBrief(row))).toEqual(range(10, 5));
    slots.assign(range(8, 10), true);
    expect(range(0, 20).filter((row) => slots.isBrief(row))).toEqual(range(10, 8));
    slots.assign(range(8, 10), false);
    expect(range(0, 20).filter((row) => slots.isBrief(row))).toEqual([]);
  });
});

describe("the pace of a list", () => {
  const after = (rows: number, every: number): boolean => {
    const pace = new Pace();
    return range(0, 10).map((turn) => pace.isFast(turn * rows, turn * every)).at(-1)!;
  };

  test("is slow for someone who reads, and fast for someone who looks for a place far away", () => {
    expect([after(0, 16), after(3, 100), after(1, 33)]).toEqual([false, false, false]);
    expect([after(9, 60), after(45, 60), after(2, 16), after(-9, 60)]).toEqual([true, true, true, true]);
  });

  test("isn't fast any more after a pause", () => {
    const pace = new Pace();
    range(0, 10).forEach((turn) => pace.isFast(turn * 9, turn * 60));
    expect(pace.isFast(90, 2_000)).toBe(false);
  });
});
