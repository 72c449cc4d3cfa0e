/** Jobs, newest first. */

import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { IconMessageBolt } from "@tabler/icons-react";

import { t } from "@/i18n";
import { useBrand } from "@/theme/brand";
import { PaneList } from "@/ui/panes/PaneList";

import { useFilters } from "../filters";
import { making, useMayAsk } from "../making";
import { useNames } from "../people";
import { useJobs } from "../queries";
import { Filters } from "./Filters";
import { JobRow } from "./JobRow";
import { NoJobs } from "./NoJobs";

export function JobList({ openId }: { openId?: string }) {
  const jobs = useJobs(useFilters());
  const names = useNames();
  useDocumentTitle(`${t("jobs.title")} · ${useBrand().title}`);
  return (
    <PaneList
      name="jobs"
      label={t("jobs.list")}
      title={t("jobs.title")}
      action={useMayAsk() && <NewJob />}
      filters={<Filters />}
      query={jobs}
      items={jobs.data ?? []}
      openId={openId}
      row={(job, place) => <JobRow key={job.id} job={job} owner={job.view === "full" ? names.owner(job.owner) : t("jobs.of.other")} {...place} />}
      rowHeight={65}
      none={<NoJobs />}
    />
  );
}

function NewJob() {
  return (
    <Button size="compact-sm" leftSection={<IconMessageBolt aria-hidden size={14} />} onClick={making.open}>
      {t("jobs.new")}
    </Button>
  );
}
