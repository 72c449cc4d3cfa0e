/** A job in words: why it waits, how often it was tried, and what to do when it failed. */

import { ago, dateTime, t, type MessageKey } from "@/i18n";
import { duration } from "@/ui/quantities";
import { fullQuotaWords } from "@/ui/quotaWords";

import type { Fault, JobItem, Waiting } from "./queries";

const FAULTS = ["lost", "timeout", "unauthenticated", "executor_failed", "internal_error"] as const;
const SOON = 60_000;

/** `in 6 hours`, and for what is less than a minute away, or should have come: in a moment. */
export function soon(at: string, now = Date.now()): string {
  return new Date(at).getTime() - now < SOON ? t("jobs.soon") : ago(at, now);
}

/** Why it waits, in a few words for a list. */
export function waitingTitle({ reason, until }: Waiting, now = Date.now()): string {
  if (reason === "scheduled" && until) return t("jobs.waiting.scheduled", { at: dateTime(until) });
  if (reason === "retry" && until) return t("jobs.waiting.retry", { when: soon(until, now) });
  if (reason === "quota" && until) return t("jobs.waiting.quota.until", { when: soon(until, now) });
  return t(`jobs.waiting.${reason}`, { at: "", when: "" });
}

/** Why it waits, and what makes it go on. */
export function waitingWords({ reason, until, quota }: Waiting, now = Date.now()): string {
  const words = t(`jobs.waiting.${reason}.words`, { at: until ? dateTime(until) : "", when: until ? soon(until, now) : "" });
  return reason === "quota" && quota ? `${fullQuotaWords(quota)} ${words}` : words;
}

/** An attempt whose worker died is made up for: there may be more of them than the most. */
export function attemptWords({ attempt, max_attempts: most }: Pick<JobItem, "attempt" | "max_attempts">): string {
  return attempt > most ? t("jobs.attempt.beyond", { attempt }) : t("jobs.attempt", { attempt, most });
}

export function tookWords({ started_at: from, finished_at: until }: Pick<JobItem, "started_at" | "finished_at">): string {
  if (!from || !until) return "";
  const seconds = (new Date(until).getTime() - new Date(from).getTime()) / 1000;
  return seconds < 1 ? t("jobs.took.moment") : t("jobs.took", { time: duration(seconds) });
}

/** What whoever asked for it can do about a failure. */
export function nextStep({ code }: Fault): string {
  const known = FAULTS.find((name) => name === code);
  const key: MessageKey = known ? `jobs.failed.${known}` : "jobs.failed.other";
  return t(key);
}
