/** How soon to look again: often while something moves, seldom when it can only be something new, less while nobody looks. */

import type { JobItem } from "./queries";

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

/** Milliseconds; false is not at all. */
export function paceOf(jobs: readonly Pick<JobItem, "state" | "waiting">[], { pages = 1, hidden = false, now = Date.now() }: Look = {}) {
  const moving = jobs.some((job) => moves(job, now));
  if (hidden) return moving && UNSEEN * pages;
  return (moving ? OFTEN : SELDOM) * Math.max(1, pages);
}

function moves({ state, waiting }: Pick<JobItem, "state" | "waiting">, now: number): boolean {
  if (state === "running") return true;
  return state === "queued" && !(waiting?.until && new Date(waiting.until).getTime() - now > FAR);
}
