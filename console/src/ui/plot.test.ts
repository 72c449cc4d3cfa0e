/** Line paths, and the top of their scale. */

import { expect, test } from "vitest";

import { barsOf, ceilingOf, lineOf, spanOf } from "./plot";

test("the top of the scale is a round number that holds everything", () => {
  expect([0.3, 1, 1.2, 3, 7, 73_216_000].map(ceilingOf)).toEqual([0.5, 1, 2, 5, 10, 100_000_000]);
});

test("the newest point is at the right edge, and a gap breaks the line", () => {
  const points = [
    { at: 0, value: 1 },
    { at: 30_000, value: null },
    { at: 60_000, value: 2 },
    { at: 120_000, value: 0 },
  ];
  expect(spanOf(points)).toBe(120_000);
  expect(lineOf(points, 2)).toBe("M-2.0 60.0L0.0 60.0M300.0 0.0L600.0 120.0");
});

test("bars stand side by side, and the smallest can still be seen", () => {
  const [nothing, little, all] = barsOf([0, 1, 1000], 1000);
  expect([nothing?.height, little?.height, all?.height]).toEqual([0, 2, 120]);
  expect([nothing?.x, little?.x, all?.y]).toEqual([25, 225, 0]);
});
