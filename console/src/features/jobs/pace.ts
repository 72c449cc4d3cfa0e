/** How soon to look again: often while something moves, seldom when it can only be something new, less while nobody looks. */

import type { JobItem, JobOutline } from "./queries";

const OFTEN = 2_000;
const SELDOM = 30_000;
const UNSEEN = 15_000;
/** A job that waits longer than this for its time does not move meanwhile. */
const FAR = 60_000;

interface Look {
  /** How many pages are asked for each time: the more, the less often. */
  pages?: number;
  hidden?: boolean;
  now?: number;
}

type Standing = Pick<JobItem, "state" | "waiting"> | Pick<JobOutline, "state">;

/** Milliseconds; false is not at all. */
export function paceOf(jobs: readonly Standing[], { pages = 1, hidden = false, now = Date.now() }: Look = {}) {
  const moving = jobs.some((job) => moves(job, now));
  if (hidden) return moving && UNSEEN * pages;
  return (moving ? OFTEN : SELDOM) * Math.max(1, pages);
}

function moves(job: Standing, now: number): boolean {
  if (job.state === "running") return true;
  const waiting = "waiting" in job ? job.waiting : null;
  return job.state === "queued" && !(waiting?.until && new Date(waiting.until).getTime() - now > FAR);
}
