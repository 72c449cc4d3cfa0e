/** Notes: the list beside the note that is open; on a phone one of the two. */

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
