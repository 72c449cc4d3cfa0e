/** The pane of one job: waits for it, says when it cannot be shown, and follows it while it moves. */

import { Failed, Loading } from "@/ui/states";

import { useJob } from "../queries";
import { BackToList } from "./BackToList";
import { OpenJob } from "./OpenJob";
import { OutlinedJob } from "./OutlinedJob";

export function JobPane({ id }: { id: string }) {
  const job = useJob(id);
  // What was read once stays: a look that failed is made up for by the next.
  if (job.data) return job.data.view === "full" ? <OpenJob job={job.data} /> : <OutlinedJob job={job.data} />;
  if (job.isPending) return <Loading />;
  return (
    <>
      <BackToList />
      <Failed error={job.error} again={() => void job.refetch()} />
    </>
  );
}
