/** What is left of the limit that will be reached first. */

import type { Usage } from "../queries";

/** Of the limits on asking, the one with the smallest share left; undefined without limits. */
export function tightest(usage: readonly Usage[]): Usage | undefined {
  const limited = usage.filter(({ dimension, limit }) => limit !== null && (dimension === "ai.requests" || dimension === "ai.tokens.total"));
  return limited.sort((one, other) => shareLeft(one) - shareLeft(other))[0];
}

/** From 0 to 1. */
export function shareLeft({ limit, remaining }: Pick<Usage, "limit" | "remaining">): number {
  return limit ? Math.max(0, Math.min(1, (remaining ?? 0) / limit)) : 0;
}
