/** Where everything of a history chart is: days, limit and forecast, in the units of its viewBox. */

import { ceilingOf, WIDTH } from "@/ui/plot";

import type { MetricHistory } from "../queries";

export const HEIGHT = 160;
const DAY = 86_400_000;
/** Share of the chart, at most, that belongs to the days to come. */
const FUTURE = 0.25;
/** A limit far above everything else would flatten the rest: then it is only named. */
const LIMIT_SEEN = 0.2;
const ROOM = 1.12;
const GAP = 0.2;

export interface Geometry {
  shape: "line" | "bars";
  /** Top of the scale. */
  top: number;
  /** Middle of each day. */
  places: number[];
  line: string;
  area: string;
  bars: { x: number; y: number; width: number; height: number }[];
  /** Null if there is none, or if it is far above. */
  limit: number | null;
  /** Dashed line from today. */
  forecast: string;
  /** Where the forecast meets the limit. */
  meeting: { x: number; y: number } | null;
  /** The last day of the forecast; null without one. */
  until: number | null;
}

export const isBytes = (metric: string): boolean => metric === "storage.bytes" || metric.startsWith("traffic.");

/** Storage, and what adds up until a limit resets, is a line; what every day has for itself is bars. */
export function shapeOf({ metric, limit, window }: MetricHistory): Geometry["shape"] {
  if (metric.startsWith("storage.")) return "line";
  return limit !== null && (window === "week" || window === "month" || window === "lifetime") ? "line" : "bars";
}

/** The value of a day, as the chart shows it. */
export const valueOf = (history: MetricHistory, place: number): number => {
  const day = history.days[place];
  return (shapeOf(history) === "line" ? day?.total : day?.amount) ?? 0;
};

/** A limit by hour or minute says nothing about a day. */
export function dailyLimitOf({ limit, window }: MetricHistory): number | null {
  return window === "hour" || window === "minute" ? null : limit;
}

export const timeOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

export function geometryOf(history: MetricHistory): Geometry {
  const shape = shapeOf(history);
  const values = history.days.map((_, place) => valueOf(history, place));
  const now = values.at(-1) ?? 0;
  const ahead = daysAhead(history, values.length);
  const perDay = history.forecast?.per_day ?? 0;
  const peak = Math.max(...values, now + ahead * perDay, 0);
  const most = dailyLimitOf(history);
  const shown = most !== null && most > 0 && peak >= most * LIMIT_SEEN;
  const top = shown ? Math.max(most, peak) * ROOM : roundTop(history.metric, Math.max(1, peak));
  const step = WIDTH / (values.length + ahead);
  const places = values.map((_, place) => step * (place + 0.5));
  const height = (value: number): number => HEIGHT - (Math.max(0, value) / top) * HEIGHT;
  const end = places.at(-1) ?? 0;
  const points = values.map((value, place) => `${round(places[place] ?? 0)} ${round(height(value))}`);
  const line = shape === "line" ? `M${points.length === 1 ? `0 ${round(height(now))}L` : ""}${points.join("L")}` : "";
  const left = most !== null && perDay > 0 ? (most - now) / perDay : Infinity;
  return {
    shape,
    top,
    places,
    line,
    area: line && `${line}L${round(end)} ${HEIGHT}L${round(points.length === 1 ? 0 : (places[0] ?? 0))} ${HEIGHT}Z`,
    bars: shape === "bars" ? values.map((value, place) => barOf(step, place, height(value), values.length)) : [],
    limit: shown ? height(most) : null,
    forecast: ahead > 0 ? `M${round(end)} ${round(height(now))}L${round(end + ahead * step)} ${round(height(now + ahead * perDay))}` : "",
    meeting: most !== null && ahead > 0 && left >= 0 && left <= ahead ? { x: end + left * step, y: height(most) } : null,
    until: ahead > 0 ? timeOf(history.days.at(-1)?.day ?? "") + ahead * DAY : null,
  };
}

/** A round number in the unit in which it is written. */
function roundTop(metric: string, value: number): number {
  const unit = isBytes(metric) ? 1024 ** Math.floor(Math.log2(value) / 10) : 1;
  return ceilingOf(value / unit) * unit;
}

/** Until shortly after the limit is reached, or as far as there is room; never beyond a reset. */
function daysAhead({ days, forecast, window }: MetricHistory, count: number): number {
  if (!forecast?.per_day || forecast.per_day < 0 || (forecast.outlook !== "on_day" && forecast.outlook !== "after_reset" && forecast.outlook !== "not_within_year")) return 0;
  const room = Math.max(3, Math.round((count * FUTURE) / (1 - FUTURE)));
  const today = timeOf(days.at(-1)?.day ?? "");
  const reset = window === "month" || window === "week" ? Math.max(0, Math.round((resetOf(today, window) - today) / DAY) - 1) : Infinity;
  return Math.min(room, reset);
}

function resetOf(today: number, window: "week" | "month"): number {
  const at = new Date(today);
  if (window === "month") return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1);
  return today + (7 - ((at.getUTCDay() + 6) % 7)) * DAY;
}

function barOf(step: number, place: number, y: number, count: number) {
  const gap = count > 120 ? 0 : GAP;
  // A day with anything at all can be seen.
  const drawn = y < HEIGHT ? Math.min(y, HEIGHT - 2) : HEIGHT;
  return { x: round(step * (place + gap / 2)), y: round(drawn), width: round(step * (1 - gap)), height: round(HEIGHT - drawn) };
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** The day at a share of the width, for the pointer; the last one over the forecast. */
export function placeAt(share: number, { places }: Geometry): number {
  const x = share * WIDTH;
  const step = (places[1] ?? WIDTH) - (places[0] ?? 0);
  return Math.max(0, Math.min(places.length - 1, Math.round((x - (places[0] ?? 0)) / step)));
}
