/** Polling interval: short while jobs are active, longer when only new ones can appear, longest in the background. */

import type { Schemas } from "@/api/client";

const OFTEN = 5_000;
const SELDOM = 30_000;
const UNSEEN = 15_000;
/** A job scheduled further ahead than this doesn't need polling yet. */
const FAR = 60_000;

interface Look {
  /** Changes are told as they happen. Active jobs are still asked for, seldom: why one waits can change without the job. */
  live?: boolean;
  /** Number of pages to refetch: the more, the less often. */
  pages?: number;
  hidden?: boolean;
  now?: number;
}

type Standing = Pick<Schemas["JobItem"], "state" | "waiting"> | Pick<Schemas["JobSummary"], "state">;

/** Milliseconds; false turns polling off. */
export function paceOf(jobs: readonly Standing[], { live = false, pages = 1, hidden = false, now = Date.now() }: Look = {}) {
  const moving = jobs.some((job) => moves(job, now));
  if (live) return moving && !hidden && SELDOM * Math.max(1, pages);
  if (hidden) return moving && UNSEEN * pages;
  return (moving ? OFTEN : SELDOM) * Math.max(1, pages);
}

type Listed = Schemas["JobItem"] | Schemas["JobSummary"];

/** For a count of active jobs: none are not asked for. When another person's job is due isn't known, so it is asked for seldom. */
export function activityPace(jobs: readonly Listed[], watched: boolean, live = false): number | false {
  if (jobs.length === 0 && !watched) return false;
  const pace = paceOf(jobs.filter((job) => job.view === "full" || job.state === "running"), { live, pages: 2 });
  return pace === false && jobs.length > 0 ? 2 * SELDOM : pace;
}

function moves(job: Standing, now: number): boolean {
  if (job.state === "running") return true;
  const waiting = "waiting" in job ? job.waiting : null;
  return job.state === "queued" && !(waiting?.until && new Date(waiting.until).getTime() - now > FAR);
}
