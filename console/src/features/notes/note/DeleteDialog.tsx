/** Confirms deleting a note; the toast's undo restores the text as a new note. */

import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { notice, noticeFault } from "@/ui/notice";
import type { Writing } from "@/ui/writing/writing";

import type { Address } from "../filters";
import { recreate, useDeleteNote } from "../queries";
import type { Note, NoteText } from "../text";
import styles from "./DeleteDialog.module.css";

const LONG_ENOUGH = 12_000;

interface Props {
  note: Note;
  writing: Writing<NoteText>;
  onClose: () => void;
}

export function DeleteDialog({ note, writing, onClose }: Props) {
  const { can } = useSession();
  const go = useNavigate();
  const remove = useDeleteNote(note);
  const bringBack = useBringBack();
  async function perform(): Promise<void> {
    await writing.flush();
    const { version, text } = writing.snapshot;
    await remove.mutateAsync(version);
    writing.forget();
    await go({ to: "/notes", search: (at: Address) => ({ ...at, edit: undefined }) });
    const id = notifications.show({
      autoClose: LONG_ENOUGH,
      message: (
        <span className={styles.toast}>
          {t("notes.deleted", { title: note.title })}
          {can("notes:write") && (
            <Button size="compact-xs" variant="default" onClick={() => void bringBack(text, id)}>
              {t("action.undo")}
            </Button>
          )}
        </span>
      ),
    });
  }
  return (
    <ConfirmDialog title={t("notes.delete.title", { title: note.title })} confirm={t("notes.delete")} perform={perform} onClose={onClose}>
      <p>{t("notes.delete.words", { count: note.shared_with.length })}</p>
      {note.visibility === "team" && <p>{t("notes.delete.team")}</p>}
    </ConfirmDialog>
  );
}

function useBringBack(): (text: NoteText, toast: string) => Promise<void> {
  const client = useQueryClient();
  const go = useNavigate();
  return async (text, toast) => {
    notifications.hide(toast);
    try {
      const again = await recreate(client, text);
      await go({ to: "/notes/$id", params: { id: again.id } });
      notice(t("notes.undeleted"));
    } catch (fault) {
      noticeFault(fault);
    }
  };
}
