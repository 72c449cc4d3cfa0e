/** AI usage by hour, with gaps filled: the API only returns hours with usage. */

import type { Schemas } from "@/api/client";
import { dateFormat } from "@/i18n";

type Interval = Schemas["Interval"];

const HOUR = 3_600_000;
const COUNT = 48;

export interface Used {
  at: number;
  requests: number;
  tokens: number;
}

/** Oldest first, up to now. */
export function filled(history: readonly Interval[], now = Date.now()): Used[] {
  const known = new Map(history.map((interval) => [Date.parse(interval.starts_at), interval]));
  const present = Math.floor(now / HOUR) * HOUR;
  // The server's clock can be ahead.
  const last = Math.max(present, ...known.keys());
  return Array.from({ length: COUNT }, (_, place) => {
    const at = last - (COUNT - 1 - place) * HOUR;
    const { requests = 0, tokens = 0 } = known.get(at) ?? {};
    return { at, requests, tokens };
  });
}

const AS_HOUR = { weekday: "short", hour: "numeric", minute: "2-digit" } as const;

export const hourName = (at: number): string => dateFormat(AS_HOUR).format(at);
