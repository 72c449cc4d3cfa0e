/** Expiry of a share: a few presets, or a date. */

export const EXPIRIES = ["never", "1", "7", "30", "date"] as const;
export type Expiry = (typeof EXPIRIES)[number];

const DAY = 86_400_000;

/** As the API takes it; a date expires at the end of that day, in local time. */
export function expiresAt(expiry: Expiry, day: string, now = Date.now()): string | null {
  if (expiry === "never") return null;
  if (expiry === "date") return new Date(`${day}T23:59:59`).toISOString();
  return new Date(now + Number(expiry) * DAY).toISOString();
}

/** Today, in the format of a date input. */
export function today(now = new Date()): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
