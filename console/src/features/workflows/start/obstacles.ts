/** What would stand in the way of a run. */

import type { DryRun } from "../api";

/** A step that every run comes to can't succeed; or the quota holds it up. Failing is worse than waiting. */
export function obstacleIn({ admitted, blocked_by: blocked, steps }: Pick<DryRun, "admitted" | "blocked_by" | "steps">): "fails" | "quota" | undefined {
  if (admitted) return undefined;
  if (steps.some(({ certain, offered, error }) => error !== null || (certain && !offered))) return "fails";
  return blocked ? "quota" : undefined;
}
