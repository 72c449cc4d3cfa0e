/** Expiry of a share: a few presets, or a date. */

import { instantOf, wallTime } from "@/i18n";

export const EXPIRIES = ["never", "1", "7", "30", "date"] as const;
export type Expiry = (typeof EXPIRIES)[number];

const DAY = 86_400_000;

/** As the API takes it; a date expires at the end of that day, in the person's time zone. */
export function expiresAt(expiry: Expiry, day: string, now = Date.now()): string | null {
  if (expiry === "never") return null;
  if (expiry === "date") return new Date(instantOf(`${day}T23:59:59`)).toISOString();
  return new Date(now + Number(expiry) * DAY).toISOString();
}

/** Today, in the format of a date input. */
export const today = (now = Date.now()): string => wallTime(now).slice(0, 10);
