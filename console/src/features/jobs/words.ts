/** A job in words: why it's waiting, its attempts, and what to do if it failed. */

import { ago, dateTime, reportedText, t, type MessageKey } from "@/i18n";
import { kindWords } from "@/ui/kindWords";
import { duration } from "@/ui/quantities";
import { fullQuotaWords } from "@/ui/quotaWords";

import type { Fault, Job, JobItem, JobOutline, Waiting } from "./queries";
import { turnKindOf } from "./turns";

const TITLED = ["repo.extract_text", "repo.hash_parts"] as const;
const FAULTS = ["lost", "timeout", "unauthenticated", "executor_failed", "internal_error"] as const;
const SOON = 60_000;

/** `Index quay-survey.pdf`; without a title, only what the job does. */
export function jobWords(job: Job | JobItem | JobOutline): string {
  const kind = kindWords(job.kind);
  if (job.view !== "full" || job.title === null) return kind;
  const known = TITLED.find((name) => name === job.kind);
  return t(known ? `jobs.titled.${known}` : "jobs.titled.other", { kind, title: job.title });
}

/** `in 6 hours`; less than a minute away or overdue is “in a moment”. */
export function soon(at: string, now = Date.now()): string {
  return new Date(at).getTime() - now < SOON ? t("jobs.soon") : ago(at, now);
}

/** Why the job is waiting, for the list. */
export function waitingTitle({ reason, until }: Waiting, now = Date.now()): string {
  if (reason === "scheduled" && until) return t("jobs.waiting.scheduled", { at: dateTime(until) });
  if (reason === "retry" && until) return t("jobs.waiting.retry", { when: soon(until, now) });
  if (reason === "quota" && until) return t("jobs.waiting.quota.until", { when: soon(until, now) });
  return t(`jobs.waiting.${reason}`, { at: "", when: "" });
}

/** Why the job is waiting, and what makes it continue. */
export function waitingWords({ reason, until, quota }: Waiting, now = Date.now()): string {
  const words = t(`jobs.waiting.${reason}.words`, { at: until ? dateTime(until) : "", when: until ? soon(until, now) : "" });
  return reason === "quota" && quota ? `${fullQuotaWords(quota)} ${words}` : words;
}

/** Attempts whose worker died are repeated, so there can be more than the maximum. */
export function attemptWords({ attempt, max_attempts: most }: Pick<JobItem, "attempt" | "max_attempts">): string {
  return attempt > most ? t("jobs.attempt.beyond", { attempt }) : t("jobs.attempt", { attempt, most });
}

export function tookWords({ started_at: from, finished_at: until }: Pick<JobItem, "started_at" | "finished_at">): string {
  if (!from || !until) return "";
  const seconds = (new Date(until).getTime() - new Date(from).getTime()) / 1000;
  return seconds < 1 ? t("jobs.took.moment") : t("jobs.took", { time: duration(seconds) });
}

/** Why an attempt failed; a worker's own message is shown as it is. */
export const faultWords = (fault: Fault): string => reportedText(fault) ?? fault.message;

/** What the requester can do about a failure. */
export function nextStep({ code }: Fault, kind: string): string {
  const turn = turnKindOf(kind);
  if (turn) return t(`jobs.failed.${turn}`);
  const known = FAULTS.find((name) => name === code);
  const key: MessageKey = known ? `jobs.failed.${known}` : "jobs.failed.other";
  return t(key);
}
