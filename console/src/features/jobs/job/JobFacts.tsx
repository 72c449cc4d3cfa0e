/** Job details. */

import { t } from "@/i18n";
import { Facts, type Fact } from "@/ui/Facts";

import { useNames } from "../people";
import type { Job } from "../queries";
import { SubjectLink } from "../Subject";

const PRIORITIES = ["first", "normal", "last"] as const;

export function JobFacts({ job }: { job: Job }) {
  const names = useNames();
  return (
    <Facts
      facts={[
        ...subjectOf(job),
        [t("jobs.fact.owner"), names.owner(job.owner)],
        [t("jobs.fact.executor"), job.executor ? names.executor(job.executor) : t("jobs.fact.executor.none")],
        [t("jobs.fact.model"), job.model ?? t("jobs.fact.model.any")],
        [t("jobs.fact.priority"), t(`jobs.priority.${PRIORITIES[job.priority] ?? "normal"}`)],
        [t("jobs.fact.attempts"), job.attempt === 0 ? t("jobs.attempt.none", { most: job.max_attempts }) : t("jobs.attempt", { attempt: job.attempt, most: job.max_attempts })],
        [t("jobs.fact.kind"), <code key="kind">{job.kind}</code>],
      ]}
    />
  );
}

/** With the link to the file, if the job is about one. */
function subjectOf(job: Job): Fact[] {
  if (job.title === null) return [];
  return [[t("jobs.fact.subject"), <SubjectLink key="subject" job={job}>{job.title}</SubjectLink>]];
}
