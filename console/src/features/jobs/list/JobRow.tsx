/** A job in the list: what it does, status, requester and time; beside it, a link to what it's about. */

import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import list from "@/ui/panes/PaneList.module.css";
import { rowLink, type RowPlace } from "@/ui/panes/rows";
import { Progress } from "@/ui/Progress";
import { Time } from "@/ui/Time";

import type { Filters } from "../filters";
import type { JobItem, JobOutline } from "../queries";
import { StateTag } from "../StateTag";
import { SubjectLink } from "../Subject";
import { attemptWords, faultWords, jobWords, tookWords, waitingTitle } from "../words";
import styles from "./JobList.module.css";

interface Props extends RowPlace {
  job: JobItem | JobOutline;
  owner: string;
}

export function JobRow({ job, owner, ...place }: Props) {
  const read = job.view === "full" ? job : undefined;
  const words = read && standing(read);
  const until = job.state === "queued" ? read?.waiting?.until : undefined;
  return (
    <li className={`${list.row} ${styles.row}`}>
      <Link to="/settings/team/jobs/$id" params={{ id: job.id }} search={(now: Filters) => now} {...rowLink(place)}>
        <span className={styles.name}>
          <b title={jobWords(job)}>{jobWords(job)}</b>
          <StateTag state={job.state} />
        </span>
        {job.state === "running" && typeof read?.progress === "number" && <Progress label={t("jobs.progress")} share={read.progress} />}
        {words && <span className={list.excerpt}>{until ? <Time at={until}>{words}</Time> : words}</span>}
        <span className={`${list.meta} ${styles.meta}`}>
          <span className={styles.who}>{[owner, read?.model, job.state === "succeeded" && tookWords(job)].filter(Boolean).join(" · ")}</span>
          {read && read.attempt > 1 && <span>{attemptWords(read)}</span>}
          <Time at={job.created_at} />
        </span>
      </Link>
      <SubjectLink job={job} className={styles.subject} tabIndex={place.entry ? 0 : -1} />
    </li>
  );
}

/** Secondary text, if any. */
function standing(job: JobItem): string {
  if (job.state === "queued") return job.waiting ? waitingTitle(job.waiting) : "";
  if (job.state === "running") return job.message ?? "";
  return job.state === "failed" && job.error ? faultWords(job.error) : "";
}
