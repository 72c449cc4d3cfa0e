import { expect, test } from "vitest";

import { speak, t } from ".";
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

test("an inserted name keeps its own direction in a line from right to left", () => {
  const texts = { "time.now": "{count, plural, other {{count} من {name}}}" } as const;
  speak("ar", texts);
  expect(t("time.now", { count: 2, name: "C++" })).toContain("من \u2068C++\u2069");
  speak("en", texts);
  expect(t("time.now", { count: 2, name: "C++" })).toBe("2 من C++");
});
