/** Timeline of a job. */

import { Link } from "@tanstack/react-router";

import { dateTime, t } from "@/i18n";
import { Time } from "@/ui/Time";

import { type Filters, useFilters } from "../filters";
import { useNames, type Names } from "../people";
import { useJobs, type Job } from "../queries";
import { eventsOf, stumblesOf, type Event } from "../timeline";
import { attemptWords, soon, tookWords } from "../words";
import styles from "./Job.module.css";

export function Timeline({ job }: { job: Job }) {
  const names = useNames();
  const again = useRetriesOf(job.id);
  return (
    <ol className={styles.timeline}>
      {eventsOf(job).map((event) => (
        <li key={event.step} data-step={event.step}>
          <span>{words(event, job, names)}</span>
          {event.at && <When at={event.at} />}
          {event.step === "asked" && job.retry_of && <JobLink id={job.retry_of}>{t("jobs.retry.of")}</JobLink>}
        </li>
      ))}
      {again.map((retry) => (
        <li key={retry.id} data-step="again">
          <JobLink id={retry.id}>{t("jobs.retry.by")}</JobLink>
          <When at={retry.created_at} />
        </li>
      ))}
    </ol>
  );
}

function words({ step, at }: Event, job: Job, names: Names): string {
  if (step === "asked") return names.isOwn(job.owner) ? t("jobs.step.asked.you") : t("jobs.step.asked", { name: names.owner(job.owner) });
  if (step === "started") {
    return t("jobs.step.started", { attempt: attemptWords(job), executor: job.executor ? names.executor(job.executor) : "" });
  }
  if (step === "stumbled") return t("jobs.step.stumbled", { count: stumblesOf(job) });
  if (step === "next") return t("jobs.step.next", { when: soon(at ?? "") });
  if (step === "planned") return t("jobs.step.planned");
  return [t(`jobs.step.${step}`), tookWords(job)].filter(Boolean).join(" · ");
}

function When({ at }: { at: string }) {
  return (
    <span className={styles.when}>
      {dateTime(at)} (<Time at={at} />)
    </span>
  );
}

function JobLink({ id, children }: { id: string; children: string }) {
  return (
    <Link to="/settings/team/jobs/$id" params={{ id }} search={(now: Filters) => now}>
      {children}
    </Link>
  );
}

/** Retries among the loaded jobs: a retry is newer than the original, so it's listed before it. */
function useRetriesOf(id: string) {
  return useJobs(useFilters()).data?.filter((job) => job.view === "full" && job.retry_of === id) ?? [];
}
