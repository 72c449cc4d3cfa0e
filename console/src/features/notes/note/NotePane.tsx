/** Detail pane of a note: loads it and shows errors. */

import { useEffect } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { MissingItem } from "@/ui/MissingItem";
import { BackToList } from "@/ui/panes/BackToList";
import { Refused } from "@/ui/states";
import { NEW } from "@/ui/writing/drafts";
import { leave, useWritingOf } from "@/ui/writing/open";
import { PageSkeleton } from "@/ui/writing/PageSkeleton";

import { useDesk, useNote } from "../queries";
import type { Note } from "../text";
import { OpenNote } from "./OpenNote";

export function NotePane({ id }: { id: string }) {
  const { can } = useSession();
  const isNew = id === NEW;
  const note = useNote(id, !isNew);
  if (isNew) return can("notes:write") ? <Writable note={null} /> : <Refused permission="notes:write" />;
  // Keep showing loaded data: unsaved text must not vanish because a refetch failed.
  if (note.data) return <Writable note={note.data} lost={note.isError ? note.error : undefined} />;
  if (note.isPending) return <PageSkeleton back={<BackToList to="/notes" />} />;
  return <MissingItem error={note.error} again={() => void note.refetch()} list="/notes" title={t("notes.title")} />;
}

function Writable({ note, lost }: { note: Note | null; lost?: unknown }) {
  const writing = useWritingOf(note, useDesk());
  useEffect(() => {
    if (note) writing.meet(note);
  }, [writing, note]);
  useEffect(() => () => void leave(writing), [writing]);
  return <OpenNote key={writing.key} writing={writing} note={note} lost={lost} />;
}
