/** Events of a job, and what comes next. */

import { expect, test } from "vitest";

import type { JobItem } from "./queries";
import { eventsOf } from "./timeline";

const steps = (job: Partial<JobItem>): string[] =>
  eventsOf({ state: "queued", attempt: 0, waiting: null, started_at: null, finished_at: null, ...job } as JobItem).map(({ step }) => step);

const AT = "2026-11-15T12:00:00Z";

test("a job that goes well is asked for, started and done", () => {
  expect(steps({ state: "succeeded", attempt: 1, started_at: AT, finished_at: AT })).toEqual(["asked", "started", "succeeded"]);
});

test("one that has its time is planned, one that stumbled is tried again", () => {
  expect(steps({ waiting: { reason: "scheduled", detail: "", key: "", params: {}, until: AT } })).toEqual(["asked", "planned"]);
  expect(steps({ attempt: 1, waiting: { reason: "retry", detail: "", key: "", params: {}, until: AT } })).toEqual(["asked", "stumbled", "next"]);
});

test("attempts before the last are told, and one that was cancelled before it began has none", () => {
  expect(steps({ state: "failed", attempt: 3, started_at: AT, finished_at: AT })).toEqual(["asked", "stumbled", "started", "failed"]);
  expect(steps({ state: "cancelled", finished_at: AT })).toEqual(["asked", "cancelled"]);
});
