/** Deletes a note: to the trash at once, or for good after a question. */

import { useNavigate } from "@tanstack/react-router";

import { t } from "@/i18n";
import { Deleting } from "@/ui/trash/Deleting";
import type { Writing } from "@/ui/writing/writing";

import type { Address } from "../filters";
import { useDeleteNote } from "../queries";
import type { Note, NoteText } from "../text";

interface Props {
  note: Note;
  writing: Writing<NoteText>;
  onClose: () => void;
}

export function DeleteDialog({ note, writing, onClose }: Props) {
  const go = useNavigate();
  const remove = useDeleteNote(note);
  async function perform(): Promise<void> {
    await writing.flush();
    await remove.mutateAsync(writing.snapshot.version);
    writing.forget();
    await go({ to: "/notes", search: (at: Address) => ({ ...at, edit: undefined }) });
  }
  return (
    <Deleting
      id={note.id}
      perform={perform}
      deleted={t("notes.deleted", { title: note.title })}
      title={t("notes.delete.title", { title: note.title })}
      confirm={t("notes.delete")}
      onClose={onClose}
    >
      <p>{t("notes.delete.words", { count: note.shared_with.length })}</p>
      {note.visibility === "team" && <p>{t("notes.delete.team")}</p>}
    </Deleting>
  );
}
