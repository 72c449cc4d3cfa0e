/** A job: status, result, input and timeline. */

import { t } from "@/i18n";

import type { Job } from "../queries";
import { JobInput } from "./JobInput";
import { JobActions } from "./JobActions";
import { JobFacts } from "./JobFacts";
import { JobFrame } from "./JobFrame";
import { Result } from "./Result";
import { Standing } from "./Standing";
import { Timeline } from "./Timeline";

export function OpenJob({ job }: { job: Job }) {
  return (
    <JobFrame job={job} actions={<JobActions job={job} />}>
      <Standing job={job} />
      {job.state === "succeeded" && (
        <section aria-labelledby="job-result">
          <h2 id="job-result">{t("jobs.result")}</h2>
          <Result result={job.result} />
        </section>
      )}
      <section aria-labelledby="job-input">
        <h2 id="job-input">{t("jobs.input")}</h2>
        <JobInput input={job.input} />
      </section>
      <section aria-labelledby="job-timeline">
        <h2 id="job-timeline">{t("jobs.timeline")}</h2>
        <Timeline job={job} />
      </section>
      <section aria-labelledby="job-facts">
        <h2 id="job-facts">{t("jobs.facts")}</h2>
        <JobFacts job={job} />
      </section>
    </JobFrame>
  );
}
