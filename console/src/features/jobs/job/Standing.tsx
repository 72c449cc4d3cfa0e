/** Status of a job: progress, why it's waiting, or why it failed and what to do. */

import { Alert } from "@mantine/core";
import { IconAlertTriangle, IconClock } from "@tabler/icons-react";

import { t } from "@/i18n";
import { Progress } from "@/ui/Progress";
import { Time } from "@/ui/Time";

import type { Fault, Job } from "../queries";
import { attemptWords, faultWords, nextStep, waitingTitle, waitingWords } from "../words";
import styles from "./Job.module.css";

export function Standing({ job }: { job: Job }) {
  const { state, waiting, error } = job;
  if (state === "running") return <Running job={job} />;
  if (state === "failed" && error) return <FailedFor fault={error} job={job} />;
  if (state !== "queued" || !waiting) return null;
  return (
    <Alert color="gray" role="note" icon={<IconClock aria-hidden size={18} />} title={waitingTitle(waiting)}>
      <p className={styles.line}>{waiting.until ? <Time at={waiting.until}>{waitingWords(waiting)}</Time> : waitingWords(waiting)}</p>
      {error && <p className={styles.line}>{t("jobs.stumbled", { attempt: attemptWords(job), message: faultWords(error) })}</p>}
    </Alert>
  );
}

function Running({ job }: { job: Job }) {
  return (
    <div className={styles.running}>
      <p className={styles.line}>
        {job.message ?? t("jobs.running")} <span className="muted">· {attemptWords(job)}</span>
      </p>
      {job.progress !== null && <Progress label={t("jobs.progress")} share={job.progress} />}
    </div>
  );
}

function FailedFor({ fault, job }: { fault: Fault; job: Job }) {
  return (
    <Alert color="danger" icon={<IconAlertTriangle aria-hidden size={18} />} title={t("jobs.failed", { attempts: attemptWords(job) })}>
      <p className={styles.line}>{faultWords(fault)}</p>
      <p className={styles.line}>{nextStep(fault, job.kind)}</p>
      <p className={styles.code}>{fault.code}</p>
    </Alert>
  );
}
