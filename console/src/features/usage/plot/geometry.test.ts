/** Geometry of the history charts. */

import { expect, test } from "vitest";

import { WIDTH } from "@/ui/plot";

import type { MetricHistory } from "../queries";
import { geometryOf, HEIGHT, placeAt, shapeOf, valueOf } from "./geometry";

const days = (totals: readonly number[]) =>
  totals.map((total, place) => ({ day: `2026-02-${String(place + 1).padStart(2, "0")}`, amount: total - (totals[place - 1] ?? 0), total }));

const storage: MetricHistory = {
  metric: "storage.bytes", level: "team", limit: 1000, window: "lifetime", days: days([100, 200, 300, 400, 500, 600, 700, 800, 900]),
  forecast: { outlook: "on_day", per_day: 100, reached_on: "2026-02-10" },
};

test("the forecast meets the limit on its day, within the chart", () => {
  const { limit, meeting, forecast, places, top } = geometryOf(storage);
  expect(top).toBeGreaterThan(1000);
  expect(limit).toBeCloseTo(HEIGHT - (1000 / top) * HEIGHT);
  expect(meeting?.x).toBeCloseTo((places[8] ?? 0) + (places[1] ?? 0) - (places[0] ?? 0));
  expect(meeting?.x).toBeLessThan(WIDTH);
  expect(forecast).toMatch(/^M[\d.]+ [\d.]+L[\d.]+ [\d.]+$/);
});

test("a limit far above is not drawn, and without a forecast there is no future", () => {
  const { limit, forecast, until, places, top } = geometryOf({ ...storage, limit: 1_000_000, forecast: null });
  expect([limit, forecast, until]).toEqual([null, "", null]);
  expect(top).toBe(1000);
  expect(geometryOf({ ...storage, limit: null, forecast: null, days: days([60 * 2 ** 20]) }).top).toBe(100 * 2 ** 20);
  expect(places.at(-1)).toBeGreaterThan(WIDTH * 0.9);
});

test("what resets is never drawn beyond its reset", () => {
  const tokens: MetricHistory = { ...storage, metric: "ai.tokens.total", window: "month", days: days(Array.from({ length: 27 }, (_, day) => day * 10)) };
  tokens.forecast = { outlook: "after_reset", per_day: 10, reached_on: null };
  expect(geometryOf(tokens).until).toBe(Date.parse("2026-02-28T00:00:00Z"));
});

test("what every day has for itself is bars, and a day with little is seen", () => {
  const traffic: MetricHistory = { ...storage, metric: "traffic.sent", limit: null, window: null, forecast: null };
  expect(shapeOf(traffic)).toBe("bars");
  expect(valueOf(traffic, 3)).toBe(100);
  const { bars, line } = geometryOf({ ...traffic, days: [{ day: "2026-02-01", amount: 1, total: 1 }, { day: "2026-02-02", amount: 0, total: 0 }, { day: "2026-02-03", amount: 2 ** 30, total: 2 ** 30 }] });
  expect(line).toBe("");
  expect(bars.map((bar) => bar.height)).toEqual([2, 0, HEIGHT]);
});

test("every number is finite: one day, nothing at all, and a limit of nothing", () => {
  for (const totals of [[0], [5], [0, 0, 0], [3, -1]]) {
    for (const limit of [null, 0, 1, 1000]) {
      const geometry = geometryOf({ ...storage, limit, days: days(totals) });
      expect(JSON.stringify(geometry)).not.toMatch(/NaN|Infinity/);
      expect(geometry.line + geometry.area + geometry.forecast).not.toMatch(/NaN|Infinity/);
      expect(geometry.top).toBeGreaterThan(0);
    }
  }
});

test("the pointer finds the nearest day", () => {
  const geometry = geometryOf(storage);
  expect(placeAt(0, geometry)).toBe(0);
  expect(placeAt(1, geometry)).toBe(8);
  expect(geometry.places.map((x) => placeAt(x / WIDTH, geometry))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
});
