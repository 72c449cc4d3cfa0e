import { expect, test } from "vitest";

import { directionOf } from "./direction";

test.each([
  ["en", "ltr"],
  ["ar", "rtl"],
  ["ar-XB", "rtl"],
  ["he-IL", "rtl"],
  ["ckb-Latn", "ltr"],
  ["not a locale", "ltr"],
])("%s is written %s", (locale, direction) => {
  expect(directionOf(locale)).toBe(direction);
});
