/** Header of a job for any viewer: back link, status, type and ID. */

import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";

import { t } from "@/i18n";
import { useBrand } from "@/theme/brand";
import { Copyable } from "@/ui/Copyable";

import type { Job, JobOutline } from "../queries";
import { StateTag } from "../StateTag";
import { jobWords } from "../words";
import { BackToList } from "./BackToList";
import styles from "./Job.module.css";

interface Props {
  job: Job | JobOutline;
  /** Actions, at the end of the toolbar. */
  actions?: ReactNode;
  children: ReactNode;
}

export function JobFrame({ job, actions, children }: Props) {
  const title = jobWords(job);
  useDocumentTitle(`${title} · ${useBrand().title}`);
  return (
    <article className={styles.job} aria-label={title}>
      <header className={styles.toolbar}>
        <BackToList />
        <span role="status">
          <StateTag state={job.state} />
        </span>
        <span className={styles.space} />
        {actions}
      </header>
      <div className={styles.content}>
        <h1>{title}</h1>
        <p className={styles.id}>
          <Copyable value={job.id} label={t("jobs.fact.id")} />
        </p>
        {children}
      </div>
    </article>
  );
}
