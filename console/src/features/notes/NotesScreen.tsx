/** Notes: the list beside the note that is open; on a phone one of the two. */

import { useParams } from "@tanstack/react-router";

import { useAddress } from "./filters";
import { NoteList } from "./list/NoteList";
import { NothingOpen } from "./note/NothingOpen";
import { NotePane } from "./note/NotePane";
import styles from "./NotesScreen.module.css";

export default function NotesScreen() {
  const { id } = useParams({ strict: false }) as { id?: string };
  const { edit } = useAddress();
  return (
    <div className={styles.panes} data-open={id !== undefined} data-writing={edit === true || id === "new"}>
      <NoteList openId={id} />
      <div className={styles.work}>{id === undefined ? <NothingOpen /> : <NotePane id={id} />}</div>
    </div>
  );
}
