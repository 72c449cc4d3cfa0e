import { describe, expect, test } from "vitest";

import { Slots } from "./slots";

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
