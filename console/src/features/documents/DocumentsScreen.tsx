/** Documents: list and detail; one of the two on a phone. */

import { useParams } from "@tanstack/react-router";

import { Panes } from "@/ui/panes/Panes";

import { DocumentPane } from "./document/DocumentPane";
import { NothingOpen } from "./document/NothingOpen";
import { useAddress } from "./filters";
import { DocumentList } from "./list/DocumentList";

export default function DocumentsScreen() {
  const { id } = useParams({ strict: false }) as { id?: string };
  const { edit } = useAddress();
  return (
    <Panes open={id !== undefined} needsRoom={edit === true || id === "new"} list={<DocumentList openId={id} />}>
      {id === undefined ? <NothingOpen /> : <DocumentPane id={id} />}
    </Panes>
  );
}
