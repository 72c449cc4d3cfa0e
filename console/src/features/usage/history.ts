/** Usage over time, with gaps filled: the API only returns periods with usage. */

import type { Schemas } from "@/api/client";
import { dateFormat } from "@/i18n";

type Interval = Schemas["Interval"];

export const SPANS = ["day", "hour"] as const;
export type Span = (typeof SPANS)[number];

const LENGTH: Record<Span, number> = { day: 86_400_000, hour: 3_600_000 };
const COUNT: Record<Span, number> = { day: 31, hour: 48 };

export interface Used {
  at: number;
  requests: number;
  tokens: number;
}

/** Oldest first, up to now; days start in UTC, like the limits. */
export function filled(history: readonly Interval[], per: Span, now = Date.now()): Used[] {
  const known = new Map(history.map((interval) => [Date.parse(interval.starts_at), interval]));
  const present = Math.floor(now / LENGTH[per]) * LENGTH[per];
  // The server's clock can be ahead.
  const last = Math.max(present, ...known.keys());
  return Array.from({ length: COUNT[per] }, (_, place) => {
    const at = last - (COUNT[per] - 1 - place) * LENGTH[per];
    const { requests = 0, tokens = 0 } = known.get(at) ?? {};
    return { at, requests, tokens };
  });
}

const AS_DAY = { day: "numeric", month: "short", timeZone: "UTC" } as const;
const AS_HOUR = { weekday: "short", hour: "numeric", minute: "2-digit" } as const;

export function spanName(at: number, per: Span): string {
  return dateFormat(per === "day" ? AS_DAY : AS_HOUR).format(at);
}
