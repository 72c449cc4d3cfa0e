import { expect, test } from "vitest";

import { stepsOf } from "./steps";

test("days are added up, and each step is compared with the one before", () => {
  const steps = stepsOf([
    { day: "2026-11-17", views: 30, starts: 8, solved: 4, signed_up: 4, accepted: 1 },
    { day: "2026-11-16", views: 10, starts: 2 },
  ]);
  expect(steps.map(({ count }) => count)).toEqual([40, 10, 4, 4, 1, 0]);
  expect(steps.map(({ share }) => share)).toEqual([undefined, 0.25, 0.4, 1, 0.25, 0]);
  expect(steps[1]?.height).toBe(0.25);
});

test("nothing has no shares", () => {
  expect(stepsOf([]).every(({ count, share, height }) => count === 0 && share === undefined && height === 0)).toBe(true);
});
