/** The funnel as numbers: how many reached each step, and how many of the step before. */

import type { FunnelDay } from "../api";

export const STEPS = ["views", "starts", "solved", "signed_up", "accepted", "activated"] as const;
export type Step = (typeof STEPS)[number];

export interface StepCount {
  step: Step;
  count: number;
  /** Of the step before; undefined for the first, and if nobody reached that. */
  share?: number;
  /** Of the step that most reached, from 0 to 1. */
  height: number;
}

export function stepsOf(days: readonly FunnelDay[]): StepCount[] {
  const counts = STEPS.map((step) => days.reduce((sum, day) => sum + (day[step] ?? 0), 0));
  const most = Math.max(1, ...counts);
  return STEPS.map((step, place) => {
    const [count = 0, before = 0] = [counts[place], counts[place - 1]];
    return { step, count, share: before > 0 ? count / before : undefined, height: count / most };
  });
}
