/** Forecasts in words. */

import { beforeAll, expect, test } from "vitest";

import english from "../../../../teamspace/catalogs/en.json";
import { flat, speak } from "@/i18n";

import { forecastOf } from "./forecast";
import type { Usage } from "./queries";
import { amountOf, stateOf } from "./words";

beforeAll(() => speak("en", flat(english)));

const usage: Usage = {
  dimension: "ai.tokens.total", used: 1_700, reserved: 0, limit: 5_000, remaining: 3_300, window: "month",
  resets_at: "2026-12-01T12:00:00.000Z", level: "team", forecast: 3_400,
};
const now = Date.parse("2026-11-15T12:00:00Z");

test("at this pace, by the day the month ends", () => {
  expect(forecastOf(usage, now)).toEqual({ over: false, words: "On track for 3,400 by Dec 1" });
});

test("above the limit it is a warning; without a limit it is none", () => {
  expect(forecastOf({ ...usage, forecast: 6_000 }, now)).toEqual({
    over: true,
    words: "On track for 6,000 by Dec 1, over the limit",
  });
  expect(forecastOf({ ...usage, limit: null, forecast: 6_000 }, now)?.over).toBe(false);
});

test("nothing is foretold without a window, from nothing, or too early", () => {
  expect(forecastOf({ ...usage, window: null, resets_at: null, forecast: null }, now)).toBeNull();
  expect(forecastOf({ ...usage, used: 0, forecast: 0 }, now)).toBeNull();
  expect(forecastOf({ ...usage, window: "day", resets_at: "2026-11-16T11:59:00.000Z" }, now)).toBeNull();
});

test("what runs at this moment is what is reserved", () => {
  const slots: Usage = { ...usage, dimension: "ai.concurrency", used: 0, reserved: 2, limit: 4, window: null, resets_at: null, forecast: null };
  expect(amountOf(slots)).toBe("2 of 4 running now");
  expect(stateOf(slots)).toBe("fine");
});
