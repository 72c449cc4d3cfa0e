/** What would stand in the way of a run. */

import { expect, test } from "vitest";

import type { DryRun } from "../api";
import { obstacleIn } from "./obstacles";

type Step = DryRun["steps"][number];

const step = (more: Partial<Step> = {}): Step => ({
  id: "a", kind: "tool", tool: "search", jobs: 1, most_jobs: 1, requests: 0, tokens: 0, certain: true, offered: true, error: null, ...more,
}); // prettier-ignore
const blocked = { dimension: "ai.requests", level: "team", resets_at: null } as DryRun["blocked_by"];

test("nothing stands in the way of what is admitted", () => {
  expect(obstacleIn({ admitted: true, blocked_by: null, steps: [step({ certain: false, offered: false })] })).toBeUndefined();
});

test("a quota holds it up until it is reset", () => {
  expect(obstacleIn({ admitted: false, blocked_by: blocked, steps: [step()] })).toBe("quota");
});

test("a step that can't succeed weighs more than a quota, unless the run can go another way", () => {
  expect(obstacleIn({ admitted: false, blocked_by: blocked, steps: [step({ offered: false })] })).toBe("fails");
  expect(obstacleIn({ admitted: false, blocked_by: blocked, steps: [step({ offered: false, certain: false })] })).toBe("quota");
});
