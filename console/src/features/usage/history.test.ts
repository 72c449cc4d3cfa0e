/** History with gaps filled. */

import { expect, test } from "vitest";

import { filled } from "./history";

const now = Date.parse("2026-11-15T12:34:56Z");
const interval = (starts_at: string, requests: number) => ({ starts_at, requests, tokens: requests * 10 });

test("days without use are there, with nothing", () => {
  const used = filled([interval("2026-11-13T00:00:00.000Z", 3), interval("2026-11-15T00:00:00.000Z", 5)], "day", now);
  expect(used).toHaveLength(31);
  expect(used.slice(-3).map((day) => day.requests)).toEqual([3, 0, 5]);
  expect(used.at(-1)).toEqual({ at: Date.parse("2026-11-15T00:00:00Z"), requests: 5, tokens: 50 });
  expect(new Date(used[0]?.at ?? 0).toISOString()).toBe("2026-10-16T00:00:00.000Z");
});

test("two days of hours, up to the present one", () => {
  const used = filled([interval("2026-11-15T11:00:00.000Z", 2)], "hour", now);
  expect(used).toHaveLength(48);
  expect(used.slice(-2).map((hour) => hour.requests)).toEqual([2, 0]);
});

test("with nothing at all it is a flat line, and a clock that is behind loses nothing", () => {
  expect(filled([], "day", now).every((day) => day.tokens === 0)).toBe(true);
  expect(filled([interval("2026-11-16T00:00:00.000Z", 9)], "day", now).at(-1)?.requests).toBe(9);
});
