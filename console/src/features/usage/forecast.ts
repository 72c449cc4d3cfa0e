/** Forecast of the usage at the end of the window, at the current rate. */

import { dateFormat, number, t } from "@/i18n";

import type { Usage } from "./queries";

const MINUTE = 60_000;
const LENGTHS = { minute: MINUTE, hour: 60 * MINUTE, day: 1440 * MINUTE, week: 7 * 1440 * MINUTE, month: 30 * 1440 * MINUTE } as const;
/** Too early for a forecast before this share of the window has passed. */
const EARLY = 0.05;

export interface Forecast {
  words: string;
  /** Above the limit. */
  over: boolean;
}

/** Null without data: no window, no usage yet, or too early. */
export function forecastOf(usage: Usage, now = Date.now()): Forecast | null {
  const { forecast, limit, resets_at: end, window, used } = usage;
  if (forecast === null || !end || !window || window === "lifetime" || used === 0 || limit === 0) return null;
  const left = Date.parse(end) - now;
  if (left > LENGTHS[window] * (1 - EARLY)) return null;
  const over = limit !== null && forecast > limit;
  const values = { count: number(forecast), when: byWhen(end, window) };
  return { over, words: t(over ? "usage.forecast.over" : "usage.forecast", values) };
}

/** `1 Dec` for windows of days, `18:00` for hours. */
function byWhen(end: string, window: keyof typeof LENGTHS): string {
  const long = window === "week" || window === "month";
  const style = long ? ({ day: "numeric", month: "short" } as const) : ({ timeStyle: "short" } as const);
  return dateFormat(style).format(new Date(end));
}
