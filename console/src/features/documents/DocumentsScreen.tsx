/** Documents: list and detail; one of the two on a phone. */

import { useParams, useSearch } from "@tanstack/react-router";

import { Panes } from "@/ui/panes/Panes";

import { DocumentPane } from "./document/DocumentPane";
import { NothingOpen } from "./document/NothingOpen";
import { useAddress } from "./filters";
import { DocumentList } from "./list/DocumentList";

export default function DocumentsScreen() {
  const { id } = useParams({ strict: false }) as { id?: string };
  const { edit } = useAddress();
  const { version } = useSearch({ strict: false }) as { version?: unknown };
  return (
    <Panes open={id !== undefined} needsRoom={edit === true || id === "new" || version !== undefined} list={<DocumentList openId={id} />}>
      {id === undefined ? <NothingOpen /> : <DocumentPane id={id} />}
    </Panes>
  );
}
