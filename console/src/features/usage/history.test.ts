/** Hours with gaps filled. */

import { expect, test } from "vitest";

import { filled } from "./history";

const now = Date.parse("2026-11-15T12:34:56Z");
const interval = (starts_at: string, requests: number) => ({ starts_at, requests, tokens: requests * 10 });

test("two days of hours, up to the present one", () => {
  const used = filled([interval("2026-11-15T11:00:00.000Z", 2)], now);
  expect(used).toHaveLength(48);
  expect(used.slice(-2).map((hour) => hour.requests)).toEqual([2, 0]);
  expect(new Date(used[0]?.at ?? 0).toISOString()).toBe("2026-11-13T13:00:00.000Z");
});

test("with nothing at all it is a flat line, and a clock that is behind loses nothing", () => {
  expect(filled([], now).every((hour) => hour.tokens === 0)).toBe(true);
  expect(filled([interval("2026-11-15T13:00:00.000Z", 9)], now).at(-1)?.requests).toBe(9);
});
