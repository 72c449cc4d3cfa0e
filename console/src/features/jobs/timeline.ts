/** Events of a job in order, and what comes next. */

import type { JobItem } from "./queries";

export type Step = "asked" | "planned" | "stumbled" | "started" | "next" | "succeeded" | "failed" | "cancelled";

export interface Event {
  step: Step;
  /** Of earlier attempts only the number is known, not when they ran. */
  at: string | null;
}

export function eventsOf(job: JobItem): Event[] {
  const { state, attempt, waiting } = job;
  const steps: (Event | false)[] = [
    { step: "asked", at: job.created_at },
    waiting?.reason === "scheduled" && { step: "planned", at: job.run_at },
    stumblesOf(job) > 0 && { step: "stumbled", at: null },
    job.started_at !== null && { step: "started", at: job.started_at },
    waiting?.reason === "retry" && attempt > 0 && { step: "next", at: job.run_at },
    state !== "queued" && state !== "running" && { step: state, at: job.finished_at },
  ];
  return steps.filter((step) => step !== false);
}

/** Number of failed attempts before the current or last one. */
export function stumblesOf({ attempt, started_at: started }: Pick<JobItem, "attempt" | "started_at">): number {
  return started === null ? attempt : attempt - 1;
}
