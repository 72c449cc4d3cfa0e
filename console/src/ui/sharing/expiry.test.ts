import { afterAll, expect, test } from "vitest";

import { setZone } from "@/i18n";

import { expiresAt, today } from "./expiry";

const NOON = Date.UTC(2026, 1, 1, 12);

test("a length is counted from now", () => {
  expect(["1", "7", "30"].map((days) => expiresAt(days as "1", "", NOON))).toEqual([
    "2026-02-02T12:00:00.000Z", "2026-02-08T12:00:00.000Z", "2026-03-03T12:00:00.000Z",
  ]);
  expect(expiresAt("never", "", NOON)).toBeNull();
});

afterAll(() => setZone(null));

test("a day begins and ends in the person's time zone", () => {
  setZone("Pacific/Auckland");
  expect(expiresAt("date", "2026-02-03")).toBe("2026-02-03T10:59:59.000Z");
  expect(today(NOON)).toBe("2026-02-02");
});
