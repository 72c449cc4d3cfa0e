/** Dates and times, in the current locale and in the person's time zone. Nothing else in the console formats them. */

import { currentLocale, t } from ".";
import { relativeFormat } from "./formats";

const DAY = 86_400_000;
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * DAY],
  ["month", 30 * DAY],
  ["day", DAY],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

let zone: string | undefined;
const formats = new Map<string, Intl.DateTimeFormat>();

export const deviceZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Null stands for the device's zone; so does a zone that is newer than this browser. */
export function setZone(wanted: string | null | undefined): void {
  zone = wanted && isKnown(wanted) ? wanted : undefined;
}

function isKnown(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}

/** A format of dates or times; with a zone of its own only for what is counted in that zone. */
export function dateFormat(style: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([currentLocale(), zone, style]);
  const format = formats.get(key) ?? new Intl.DateTimeFormat(currentLocale(), { timeZone: zone, ...style });
  formats.set(key, format);
  return format;
}

export function dateTime(stamp: string): string {
  return dateFormat({ dateStyle: "medium", timeStyle: "short" }).format(new Date(stamp));
}

/** With seconds and the time zone, where something else shows less. */
export function exactTime(stamp: string): string {
  return dateFormat({ dateStyle: "long", timeStyle: "long" }).format(new Date(stamp));
}

/** `5 minutes ago`, `in 6 hours`; under a minute, just now. */
export function ago(stamp: string, now = Date.now()): string {
  const distance = new Date(stamp).getTime() - now;
  for (const [unit, length] of STEPS) {
    if (Math.abs(distance) >= length) {
      return relativeFormat({ numeric: "auto" }).format(Math.round(distance / length), unit);
    }
  }
  return t("time.now");
}

/** What calendar and clock show at an instant, as inputs have it: `2026-02-03T23:59:00`. */
export function wallTime(at: number): string {
  return new Date(at + offsetAt(at)).toISOString().slice(0, 19);
}

/**
 * When calendar and clock show `2026-02-03T23:59`: the first time, if they show it twice. A time that is left out
 * when clocks are put forward is counted on from before. NaN if it isn't a time.
 */
export function instantOf(wall: string): number {
  const asUtc = Date.parse(`${wall}Z`);
  if (Number.isNaN(asUtc)) return NaN;
  const before = offsetAt(asUtc - DAY);
  const fitting = [before, offsetAt(asUtc + DAY)].filter((offset) => offsetAt(asUtc - offset) === offset);
  return asUtc - Math.max(...(fitting.length > 0 ? fitting : [before]));
}

/** How far clocks are ahead of UTC at an instant, in milliseconds. */
function offsetAt(at: number): number {
  const numeric = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" } as const;
  const key = `parts ${zone}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat("en-u-ca-iso8601-nu-latn", { timeZone: zone, hourCycle: "h23", ...numeric });
  formats.set(key, format);
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}
