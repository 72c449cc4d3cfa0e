/** The graph: entities, and the page of one; one of the two on a phone. */

import { useParams } from "@tanstack/react-router";

import { Panes } from "@/ui/panes/Panes";

import { EntityPane } from "./entity/EntityPane";
import { NothingOpen } from "./entity/NothingOpen";
import { ExtractDialog } from "./extract/ExtractDialog";
import { extracting } from "./extract/extracting";
import { EntityList } from "./list/EntityList";

export default function KnowledgeScreen() {
  const { id } = useParams({ strict: false }) as { id?: string };
  return (
    <>
      <Panes open={id !== undefined} list={<EntityList openId={id} />}>
        {id === undefined ? <NothingOpen /> : <EntityPane key={id} id={id} />}
      </Panes>
      {extracting.useOpened() && <ExtractDialog onClose={extracting.close} />}
    </>
  );
}
