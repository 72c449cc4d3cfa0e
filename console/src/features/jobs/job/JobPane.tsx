/** Detail pane of a job: loads it, shows errors, and polls while it's active. */

import { Failed, Loading } from "@/ui/states";

import { useJob } from "../queries";
import { BackToList } from "./BackToList";
import { OpenJob } from "./OpenJob";
import { OutlinedJob } from "./OutlinedJob";

export function JobPane({ id }: { id: string }) {
  const job = useJob(id);
  // Keep showing loaded data: the next poll makes up for a failed one.
  if (job.data) return job.data.view === "full" ? <OpenJob job={job.data} /> : <OutlinedJob job={job.data} />;
  if (job.isPending) return <Loading />;
  return (
    <>
      <BackToList />
      <Failed error={job.error} again={() => void job.refetch()} />
    </>
  );
}
