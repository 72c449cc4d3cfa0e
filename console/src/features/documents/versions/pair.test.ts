import { expect, test } from "vitest";

import { addressed, pairOf } from "./pair";

test("what was last changed is shown first", () => {
  expect(pairOf(addressed({}, 5), 5)).toEqual([4, 5]);
  expect(pairOf(addressed({ version: 99 }, 5), 5)).toEqual([4, 5]);
});

test("any version is compared with the newest, or with the one before it", () => {
  expect(pairOf(addressed({ version: 2 }, 5), 5)).toEqual([2, 5]);
  expect(pairOf(addressed({ version: "2", against: "before" }, 5), 5)).toEqual([1, 2]);
  expect(pairOf(addressed({ version: 1, against: "before" }, 5), 5)).toEqual([1, 1]);
});
