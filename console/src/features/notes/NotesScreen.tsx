/** Notes: list and detail; one of the two on a phone. */

import { useParams } from "@tanstack/react-router";

import { Panes } from "@/ui/panes/Panes";

import { useAddress } from "./filters";
import { NoteList } from "./list/NoteList";
import { NotePane } from "./note/NotePane";
import { NothingOpen } from "./note/NothingOpen";

export default function NotesScreen() {
  const { id } = useParams({ strict: false }) as { id?: string };
  const { edit } = useAddress();
  return (
    <Panes open={id !== undefined} needsRoom={edit === true || id === "new"} list={<NoteList openId={id} />}>
      {id === undefined ? <NothingOpen /> : <NotePane id={id} />}
    </Panes>
  );
}
