/** The bar above a note: how it is saved, and what the caller may do with it. */

import { ActionIcon, Button, Menu } from "@mantine/core";
import { IconCheck, IconCopy, IconDots, IconLink, IconPencil, IconShare2, IconTrash } from "@tabler/icons-react";

import { t } from "@/i18n";
import { notice } from "@/ui/notice";
import { SaveState } from "@/ui/writing/SaveState";
import type { Snapshot } from "@/ui/writing/writing";

import type { Rights } from "../rights";
import type { Note, NoteText } from "../text";
import { BackToList } from "./BackToList";
import styles from "./OpenNote.module.css";

interface Props {
  now: Snapshot<NoteText>;
  note: Note | null;
  rights: Rights;
  edits: boolean;
  onTurn: (toEdit: boolean) => void;
  onDialog: (dialog: "share" | "delete" | "conflict") => void;
}

export function Toolbar({ now, note, rights, edits, onTurn, onDialog }: Props) {
  return (
    <div className={styles.toolbar} role="toolbar" aria-label={t("notes.toolbar")}>
      <BackToList />
      <SaveState now={now} mayWrite={rights.write} onConflict={() => onDialog("conflict")} />
      <span className={styles.space} />
      {rights.write && !now.offer && (
        <Button
          variant={edits ? "filled" : "default"}
          size="compact-md"
          leftSection={edits ? <IconCheck aria-hidden size={15} /> : <IconPencil aria-hidden size={15} />}
          onClick={() => onTurn(!edits)}
        >
          {edits ? t("writing.edit.done") : t("action.edit")}
        </Button>
      )}
      {rights.manage && note && (
        <Button variant="default" size="compact-md" onClick={() => onDialog("share")}>
          <IconShare2 aria-hidden size={15} />
          <span className={styles.word}>{t("notes.share.short")}</span>
        </Button>
      )}
      {note && <More note={note} now={now} rights={rights} onDelete={() => onDialog("delete")} />}
    </div>
  );
}

function More({ note, now, rights, onDelete }: { note: Note; now: Snapshot<NoteText>; rights: Rights; onDelete: () => void }) {
  async function copy(text: string, said: string): Promise<void> {
    await navigator.clipboard.writeText(text);
    notice(said);
  }
  const link = new URL(`/app/notes/${note.id}`, location.href).href;
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={32} aria-label={t("notes.more")}>
          <IconDots aria-hidden size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconLink aria-hidden size={15} />} onClick={() => void copy(link, t("notes.link.copied"))}>
          {t("notes.link.copy")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconCopy aria-hidden size={15} />}
          onClick={() => void copy(`# ${now.text.title}\n\n${now.text.body}`, t("notes.markdown.copied"))}
        >
          {t("notes.markdown.copy")}
        </Menu.Item>
        {rights.delete && (
          <>
            <Menu.Divider />
            <Menu.Item color="danger" leftSection={<IconTrash aria-hidden size={15} />} onClick={onDelete}>
              {t("notes.delete")}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
