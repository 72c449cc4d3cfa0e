/** Polling intervals. */

import { expect, test } from "vitest";

import { activityPace, paceOf } from "./pace";
import type { JobItem } from "./queries";

const now = Date.parse("2026-11-15T12:00:00Z");
const job = (state: JobItem["state"], until?: string) =>
  ({ state, waiting: state === "queued" ? { reason: "next", detail: "", until } : null }) as Pick<JobItem, "state" | "waiting">;

test("often while one waits or runs, seldom when all are over", () => {
  expect(paceOf([job("succeeded"), job("running")], { now })).toBe(5_000);
  expect(paceOf([job("queued")], { now })).toBe(5_000);
  expect(paceOf([job("succeeded"), job("failed"), job("cancelled")], { now })).toBe(30_000);
  expect(paceOf([], { now })).toBe(30_000);
});

test("one that waits for a time far away does not move until it is near", () => {
  expect(paceOf([job("queued", "2026-11-15T18:00:00Z")], { now })).toBe(30_000);
  expect(paceOf([job("queued", "2026-11-15T12:00:30Z")], { now })).toBe(5_000);
  expect(paceOf([job("queued", "2026-11-15T11:00:00Z")], { now })).toBe(5_000);
});

test("slower where nobody looks, and not at all when nothing moves there", () => {
  expect(paceOf([job("running")], { now, hidden: true })).toBe(15_000);
  expect(paceOf([job("succeeded")], { now, hidden: true })).toBe(false);
});

test("seldom what is active while changes are told as they happen, and only where somebody looks", () => {
  expect(paceOf([job("running")], { now, live: true })).toBe(30_000);
  expect(paceOf([job("running")], { now, live: true, hidden: true })).toBe(false);
  expect(paceOf([job("succeeded")], { now, live: true })).toBe(false);
  expect(activityPace([], true, true)).toBe(false);
  expect(activityPace([{ ...job("queued"), view: "outline" } as unknown as JobItem], false, true)).toBe(60_000);
});

test("many pages are not asked for more often than one", () => {
  expect(paceOf([job("running")], { now, pages: 5 })).toBe(25_000);
});

test("a count of active jobs isn't asked for while there are none and nobody looks", () => {
  const listed = (view: "full" | "outline", state: JobItem["state"]) => ({ ...job(state), view }) as JobItem;
  expect(activityPace([], false)).toBe(false);
  expect(activityPace([], true)).toBe(60_000);
  expect(activityPace([listed("full", "queued")], false)).toBe(10_000);
  expect(activityPace([listed("outline", "running")], false)).toBe(10_000);
  expect(activityPace([listed("outline", "queued")], false)).toBe(60_000);
});
