/** Jobs: list and detail; one of the two on a phone. */

import { useParams } from "@tanstack/react-router";

import { Panes } from "@/ui/panes/Panes";

import { JobPane } from "./job/JobPane";
import { NothingOpen } from "./job/NothingOpen";
import { JobList } from "./list/JobList";
import { making, useMayAsk } from "./making";
import { NewJobDialog } from "./new/NewJobDialog";

export default function JobsScreen() {
  const { id } = useParams({ strict: false }) as { id?: string };
  return (
    <>
      <Panes open={id !== undefined} list={<JobList openId={id} />}>
        {id === undefined ? <NothingOpen /> : <JobPane key={id} id={id} />}
      </Panes>
      <Making />
    </>
  );
}

function Making() {
  const mayAsk = useMayAsk();
  return making.useOpened() && mayAsk ? <NewJobDialog onClose={making.close} /> : null;
}
