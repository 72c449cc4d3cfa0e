/** A job that a teammate asked for: that it is there and how it stands, and who can see more. */

import { Alert } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { IconLock } from "@tabler/icons-react";

import { t } from "@/i18n";
import { useBrand } from "@/theme/brand";
import { Copyable } from "@/ui/Copyable";
import { kindWords } from "@/ui/kindWords";

import type { JobOutline } from "../queries";
import { StateTag } from "../StateTag";
import { BackToList } from "./BackToList";
import styles from "./Job.module.css";

export function OutlinedJob({ job }: { job: JobOutline }) {
  const title = kindWords(job.kind);
  useDocumentTitle(`${title} · ${useBrand().title}`);
  return (
    <article className={styles.job} aria-label={title}>
      <header className={styles.toolbar}>
        <BackToList />
        <span role="status">
          <StateTag state={job.state} />
        </span>
      </header>
      <div className={styles.content}>
        <h1>{title}</h1>
        <p className={styles.id}>
          <Copyable value={job.id} label={t("jobs.fact.id")} />
        </p>
        <Alert color="gray" role="note" icon={<IconLock aria-hidden size={18} />} title={t("jobs.outline")}>
          {t("jobs.outline.words")}
        </Alert>
      </div>
    </article>
  );
}
