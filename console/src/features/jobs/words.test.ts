/** Job statuses in words. */

import { beforeAll, expect, test } from "vitest";

import english from "../../../../teamspace/catalogs/en.json";
import { flat, speak } from "@/i18n";

import type { JobItem, JobOutline, Waiting } from "./queries";
import { attemptWords, faultWords, jobWords, nextStep, soon, tookWords, waitingTitle, waitingWords } from "./words";

beforeAll(() => speak("en", flat(english)));

const now = Date.parse("2026-11-15T12:00:00Z");
const waiting = (reason: Waiting["reason"], until: string | null = null): Waiting => ({ reason, detail: "", key: "", params: {}, until });

test("every reason has a few words for the list, and more for who looks closer", () => {
  for (const reason of ["scheduled", "retry", "quota", "cap", "no_worker", "suspended", "next"] as const) {
    const one = waiting(reason, "2026-11-15T15:00:00Z");
    expect(waitingTitle(one, now)).not.toMatch(/[{}]|jobs\./);
    expect(waitingWords(one, now)).not.toMatch(/[{}]|jobs\./);
  }
});

test("a job says what it is about, if it is about something", () => {
  const job = (kind: string, title: string | null) => ({ view: "full", kind, title }) as JobItem;
  expect(jobWords(job("repo.extract_text", "quay-survey.pdf"))).toBe("Index quay-survey.pdf");
  expect(jobWords(job("repo.hash_parts", "backup.zip"))).toBe("Verify backup.zip");
  expect(jobWords(job("ai.chat", "Tides"))).toBe("Model question: Tides");
  expect(jobWords(job("repo.extract_text", null))).toBe("Index file");
  expect(jobWords({ view: "outline", kind: "repo.extract_text" } as JobOutline)).toBe("Index file");
});

test("the time is told where it is known", () => {
  expect(waitingTitle(waiting("retry", "2026-11-15T12:00:02Z"), now)).toBe("Retrying in a moment");
  expect(waitingTitle(waiting("retry", "2026-11-15T12:05:00Z"), now)).toBe("Retrying in 5 minutes");
  expect(waitingTitle(waiting("quota", "2026-11-15T15:00:00Z"), now)).toBe("Waiting for quota, available in 3 hours");
  expect(waitingTitle(waiting("quota"), now)).toBe("Waiting for quota");
});

test("a quota is told by what it counts and whose it is", () => {
  const quota = { dimension: "ai.requests", level: "org", resets_at: null };
  expect(waitingWords({ ...waiting("quota"), quota }, now)).toMatch(/^The company has no AI requests left\. /);
});

test("what is due, or overdue, comes in a moment", () => {
  expect(soon("2026-11-15T11:59:00Z", now)).toBe("in a moment");
});

test("an attempt beyond the most is one that made up for a lost worker", () => {
  expect(attemptWords({ attempt: 2, max_attempts: 3 })).toBe("Attempt 2 of 3");
  expect(attemptWords({ attempt: 4, max_attempts: 3 })).toBe("Attempt 4");
});

test("how long it took", () => {
  const from = (until: string) => tookWords({ started_at: "2026-11-15T12:00:00Z", finished_at: until });
  expect(from("2026-11-15T12:00:00.400Z")).toBe("under 1 second");
  expect(from("2026-11-15T12:01:30Z")).toBe("took 1 minute 30 seconds");
  expect(tookWords({ started_at: null, finished_at: "2026-11-15T12:00:00Z" })).toBe("");
});

test("every failure has a next step, also one that nobody thought of", () => {
  expect(nextStep({ code: "timeout", message: "" }, "ai.chat")).toMatch(/Ask for less/);
  expect(nextStep({ code: "moon_phase", message: "" }, "ai.chat")).toMatch(/Retry/);
  expect(nextStep({ code: "timeout", message: "" }, "ai.agent")).toMatch(/Continue/);
});

test("a failure is told in the present language, a worker's own message as it is", () => {
  const fault = { message: "The job timed out.", code: "timeout", key: "jobs.timed_out", params: {} };
  speak("de", { "refusals.jobs.timed_out": "Zeit abgelaufen." });
  expect(faultWords(fault)).toBe("Zeit abgelaufen.");
  expect(faultWords({ message: "No such file", code: "failed", key: null })).toBe("No such file");
  speak("en", flat(english));
});
