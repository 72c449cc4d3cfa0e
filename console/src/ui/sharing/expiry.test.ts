import { expect, test } from "vitest";

import { expiresAt, today } from "./expiry";

const NOON = Date.UTC(2026, 1, 1, 12);

test("a length is counted from now", () => {
  expect(["1", "7", "30"].map((days) => expiresAt(days as "1", "", NOON))).toEqual([
    "2026-02-02T12:00:00.000Z", "2026-02-08T12:00:00.000Z", "2026-03-03T12:00:00.000Z",
  ]);
  expect(expiresAt("never", "", NOON)).toBeNull();
});

test("a day lasts until it is over here", () => {
  const end = new Date(expiresAt("date", "2026-02-03") ?? "");
  expect([today(end), end.getHours(), end.getMinutes()]).toEqual(["2026-02-03", 23, 59]);
});
