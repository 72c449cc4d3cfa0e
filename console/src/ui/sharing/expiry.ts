/** Until when something is shared: a few lengths that people ask for, or a day. */

export const EXPIRIES = ["never", "1", "7", "30", "date"] as const;
export type Expiry = (typeof EXPIRIES)[number];

const DAY = 86_400_000;

/** As the server takes it; a day lasts until it is over where the person is. */
export function expiresAt(expiry: Expiry, day: string, now = Date.now()): string | null {
  if (expiry === "never") return null;
  if (expiry === "date") return new Date(`${day}T23:59:59`).toISOString();
  return new Date(now + Number(expiry) * DAY).toISOString();
}

/** Today, as a field for days has it. */
export function today(now = new Date()): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
