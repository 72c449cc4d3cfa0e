/** The pane of one note: waits for it, says when it cannot be shown, and hands it over to be read and written. */

import { useEffect, useState } from "react";

import { useSession } from "@/app/session";
import { Failed, Refused } from "@/ui/states";

import { useDesk, useNote } from "../queries";
import type { Note } from "../text";
import { leave, writingOf } from "../writing/open";
import { NEW, type Writing } from "../writing/writing";
import { BackToList } from "./BackToList";
import { NoteSkeleton } from "./NoteSkeleton";
import { OpenNote } from "./OpenNote";

export function NotePane({ id }: { id: string }) {
  const { can } = useSession();
  const isNew = id === NEW;
  const note = useNote(id, !isNew);
  if (isNew) return can("notes:write") ? <Writable note={null} /> : <Refused permission="notes:write" />;
  // What was read once stays: text that somebody wrote must not vanish because a later look at the note failed.
  if (note.data) return <Writable note={note.data} lost={note.isError ? note.error : undefined} />;
  if (note.isPending) return <NoteSkeleton />;
  return (
    <>
      <BackToList />
      <Failed error={note.error} again={() => void note.refetch()} />
    </>
  );
}

function Writable({ note, lost }: { note: Note | null; lost?: unknown }) {
  const writing = useWritingOf(note);
  useEffect(() => {
    if (note) writing.meet(note);
  }, [writing, note]);
  useEffect(() => () => void leave(writing), [writing]);
  return <OpenNote key={writing.key} writing={writing} note={note} lost={lost} />;
}

/** The same one while a new note gets its name: whoever writes must not notice. */
function useWritingOf(note: Note | null): Writing {
  const { me } = useSession();
  const desk = useDesk();
  const [held, setHeld] = useState(() => writingOf(me.user.id, note, desk));
  if (held.isFor(note?.id ?? NEW)) return held;
  const other = writingOf(me.user.id, note, desk);
  setHeld(other);
  return other;
}
