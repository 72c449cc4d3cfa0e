/** Detail pane of a job: loads it, shows errors, and polls while it's active. */

import { t } from "@/i18n";
import { MissingItem } from "@/ui/MissingItem";
import { PageSkeleton } from "@/ui/writing/PageSkeleton";

import { useJob } from "../queries";
import { BackToList } from "./BackToList";
import { OpenJob } from "./OpenJob";
import { OutlinedJob } from "./OutlinedJob";

export function JobPane({ id }: { id: string }) {
  const job = useJob(id);
  // Keep showing loaded data: the next poll makes up for a failed one.
  if (job.data) return job.data.view === "full" ? <OpenJob job={job.data} /> : <OutlinedJob job={job.data} />;
  if (job.isPending) return <PageSkeleton back={<BackToList />} />;
  return <MissingItem error={job.error} again={() => void job.refetch()} list="/settings/team/jobs" title={t("jobs.title")} />;
}
