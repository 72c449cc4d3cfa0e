/** A job: status, result, input and timeline. */

import { t } from "@/i18n";

import type { Job } from "../queries";
import { turnOf } from "../turns";
import { JobInput } from "./JobInput";
import { JobActions } from "./JobActions";
import { JobFacts } from "./JobFacts";
import { JobFrame } from "./JobFrame";
import { Result } from "./Result";
import { Standing } from "./Standing";
import { Timeline } from "./Timeline";
import { Turn } from "./Turn";

export function OpenJob({ job }: { job: Job }) {
  const turn = turnOf(job);
  return (
    <JobFrame job={job} actions={<JobActions job={job} />}>
      <Standing job={job} />
      {turn ? <Turn turn={turn} id={job.id} /> : <InputAndResult job={job} />}
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

function InputAndResult({ job: { state, input, result } }: { job: Job }) {
  return (
    <>
      {state === "succeeded" && (
        <section aria-labelledby="job-result">
          <h2 id="job-result">{t("jobs.result")}</h2>
          <Result result={result} />
        </section>
      )}
      <section aria-labelledby="job-input">
        <h2 id="job-input">{t("jobs.input")}</h2>
        <JobInput input={input} />
      </section>
    </>
  );
}
