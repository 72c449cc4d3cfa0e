/** Limits of each plan, as on the server (teamspace/quota/domain/limits.py); null is no limit. */

import type { Quota } from "@/ui/QuotaTable";

import type { Dimension, Plan, Window } from "../queries";

export const DIMENSIONS: readonly Dimension[] = ["ai.requests", "ai.tokens.total", "ai.concurrency", "storage.bytes", "storage.objects"];
export const WINDOWS: readonly Window[] = ["minute", "hour", "day", "week", "month", "lifetime"];

export const GIB = 1024 ** 3;

const USUAL: Record<Dimension, Window | null> = {
  "ai.requests": "day", "ai.tokens.total": "month", "ai.concurrency": null, "storage.bytes": "lifetime", "storage.objects": "lifetime",
};

export const PLANS: Record<Plan, Record<Dimension, number | null>> = {
  free: { "ai.requests": 100, "ai.tokens.total": 200_000, "ai.concurrency": 2, "storage.bytes": 5 * GIB, "storage.objects": 100_000 },
  pro: { "ai.requests": 2_000, "ai.tokens.total": 5_000_000, "ai.concurrency": 4, "storage.bytes": 100 * GIB, "storage.objects": 1_000_000 },
  business: { "ai.requests": 20_000, "ai.tokens.total": 50_000_000, "ai.concurrency": 8, "storage.bytes": 1024 * GIB, "storage.objects": 10_000_000 },
  enterprise: { "ai.requests": null, "ai.tokens.total": null, "ai.concurrency": 32, "storage.bytes": null, "storage.objects": null },
};

export const PLAN_NAMES = Object.keys(PLANS) as Plan[];

export const capOf = (plan: Plan, dimension: Dimension) => ({ dimension, limit: PLANS[plan][dimension], window: USUAL[dimension] });

/** Whether the limit differs from the plan's. */
export function setByHand(plan: Plan, quota: Quota): boolean {
  const cap = capOf(plan, quota.dimension);
  return quota.limit !== cap.limit || quota.window !== cap.window;
}
