/** The team's latest jobs with their state, and the way to all of them. */

import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { LatePopover } from "@/ui/late/LatePopover";
import type { Late } from "@/ui/late/useLate";
import { Failed, Loading } from "@/ui/states";
import { Time } from "@/ui/Time";

import { useLatestJobs } from "../queries";
import { StateTag } from "../StateTag";
import { SubjectLink } from "../Subject";
import { jobWords } from "../words";
import styles from "./Activity.module.css";

export default function LatestJobs({ late }: { late: Late }) {
  return (
    <LatePopover late={late} width={360} position="top-start" className={styles.dropdown}>
      {late.opened && <Jobs onLeave={() => late.onChange(false)} />}
    </LatePopover>
  );
}

function Jobs({ onLeave }: { onLeave: () => void }) {
  const jobs = useLatestJobs();
  return (
    <>
      <h2 className={styles.title}>{t("activity.title")}</h2>
      {jobs.isPending && <Loading />}
      {jobs.isLoadingError && <Failed error={jobs.error} again={() => void jobs.refetch()} />}
      {jobs.data?.length === 0 && <p className={styles.none}>{t("activity.none")}</p>}
      <ul className={styles.jobs}>
        {jobs.data?.map((job) => (
          <li key={job.id} className={styles.row}>
            <Link to="/settings/team/jobs/$id" params={{ id: job.id }} className={styles.job} onClick={onLeave}>
              <span className={styles.kind} title={jobWords(job)}>
                {jobWords(job)}
              </span>
              <span className={styles.time}>
                <Time at={job.created_at} />
              </span>
              <StateTag state={job.state} />
            </Link>
            <SubjectLink job={job} className={styles.subject} onClick={onLeave} />
          </li>
        ))}
      </ul>
      <Link to="/settings/team/jobs" className={styles.all} onClick={onLeave}>
        {t("activity.all")}
      </Link>
    </>
  );
}
