/** One job: how it stands, what came of it, what it was given, and what happened to it. */

import { useDocumentTitle } from "@mantine/hooks";

import { t } from "@/i18n";
import { useBrand } from "@/theme/brand";
import { Copyable } from "@/ui/Copyable";
import { kindWords } from "@/ui/kindWords";

import type { Job } from "../queries";
import { StateTag } from "../StateTag";
import { Asked } from "./Asked";
import { BackToList } from "./BackToList";
import { Deeds } from "./Deeds";
import { JobFacts } from "./JobFacts";
import styles from "./Job.module.css";
import { Result } from "./Result";
import { Standing } from "./Standing";
import { Timeline } from "./Timeline";

export function OpenJob({ job }: { job: Job }) {
  const title = kindWords(job.kind);
  useDocumentTitle(`${title} · ${useBrand().title}`);
  return (
    <article className={styles.job} aria-label={title}>
      <header className={styles.toolbar}>
        <BackToList />
        <span role="status">
          <StateTag state={job.state} />
        </span>
        <span className={styles.space} />
        <Deeds job={job} />
      </header>
      <div className={styles.content}>
        <h1>{title}</h1>
        <p className={styles.id}>
          <Copyable value={job.id} label={t("jobs.fact.id")} />
        </p>
        <Standing job={job} />
        {job.state === "succeeded" && (
          <section aria-labelledby="job-result">
            <h2 id="job-result">{t("jobs.result")}</h2>
            <Result result={job.result} />
          </section>
        )}
        <section aria-labelledby="job-input">
          <h2 id="job-input">{t("jobs.input")}</h2>
          <Asked input={job.input} />
        </section>
        <section aria-labelledby="job-timeline">
          <h2 id="job-timeline">{t("jobs.timeline")}</h2>
          <Timeline job={job} />
        </section>
        <section aria-labelledby="job-facts">
          <h2 id="job-facts">{t("jobs.facts")}</h2>
          <JobFacts job={job} />
        </section>
      </div>
    </article>
  );
}
