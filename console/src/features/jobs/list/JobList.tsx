/** Job list: newest first, with keyboard navigation, infinite scroll and polling. */

import { useDocumentTitle } from "@mantine/hooks";
import { useRef } from "react";

import { t } from "@/i18n";
import { useBrand } from "@/theme/brand";
import { Endless } from "@/ui/endless";
import { useListKeys } from "@/ui/panes/useListKeys";
import { useSamePlace } from "@/ui/panes/useSamePlace";
import { Failed, Loading } from "@/ui/states";

import { useFilters } from "../filters";
import { useNames } from "../people";
import { useJobs } from "../queries";
import styles from "./JobList.module.css";
import { JobRow } from "./JobRow";
import { ListHead } from "./ListHead";
import { NoJobs } from "./NoJobs";

export function JobList({ openId }: { openId?: string }) {
  const pane = useRef<HTMLElement>(null);
  const jobs = useJobs(useFilters());
  const names = useNames();
  const walk = useListKeys(pane);
  const found = jobs.data ?? [];
  const entry = found.some((job) => job.id === openId) ? openId : found[0]?.id;
  useSamePlace("jobs", pane, jobs.isSuccess);
  useDocumentTitle(`${t("jobs.title")} · ${useBrand().title}`);
  return (
    // Arrow keys are a shortcut: every link is reachable without them.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section ref={pane} className={styles.pane} aria-label={t("jobs.list")} onKeyDown={walk}>
      <ListHead level={openId === undefined ? 1 : 2} />
      {jobs.isPending && <Loading />}
      {jobs.isError && !jobs.data && <Failed error={jobs.error} again={() => void jobs.refetch()} />}
      {jobs.isSuccess && found.length === 0 && <NoJobs />}
      <ul className={styles.list} aria-busy={jobs.isPending}>
        {found.map((job) => (
          <JobRow
            key={job.id}
            job={job}
            owner={job.view === "full" ? names.owner(job.owner) : t("jobs.of.other")}
            open={job.id === openId}
            entry={job.id === entry}
          />
        ))}
      </ul>
      <Endless query={jobs} />
    </section>
  );
}
