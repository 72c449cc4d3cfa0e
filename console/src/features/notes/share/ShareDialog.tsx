/** Sharing a note: who sees it, who may do what with it, and a way to add somebody. */

import { Button } from "@mantine/core";

import { t } from "@/i18n";
import { Dialog } from "@/ui/Dialog";
import { Fault } from "@/ui/forms";
import { VisibilityMenu } from "@/ui/visibility/VisibilityMenu";
import type { Snapshot, Writing } from "@/ui/writing/writing";

import { useShareNote } from "../queries";
import type { Note, NoteText } from "../text";
import { AddPerson } from "./AddPerson";
import { Grants } from "./Grants";
import styles from "./ShareDialog.module.css";

interface Props {
  note: Note;
  now: Snapshot<NoteText>;
  writing: Writing<NoteText>;
  onClose: () => void;
}

export function ShareDialog({ note, now, writing, onClose }: Props) {
  const share = useShareNote(note.id);
  const { visibility } = now.text;
  return (
    <Dialog title={t("notes.share.title", { title: note.title })} wide onClose={onClose}>
      <div className={styles.visibility}>
        <p>
          <b>{t("visibility.title")}</b>
          <span>{t(`visibility.${visibility}.words`)}</span>
        </p>
        <VisibilityMenu visibility={visibility} shares={0} mayChange onChange={(value) => writing.write({ visibility: value }, 0)} />
      </div>
      <AddPerson note={note} share={share} />
      <Fault fault={share.error} />
      <Grants note={note} share={share} />
      {visibility === "private" && note.shared_with.length > 0 && (
        <p className={styles.hint}>
          {t("notes.share.private")}
          <Button size="compact-xs" variant="default" onClick={() => writing.write({ visibility: "shared" }, 0)}>
            {t("notes.share.mark")}
          </Button>
        </p>
      )}
    </Dialog>
  );
}
