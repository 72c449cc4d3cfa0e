/** Toolbar of a text: save state, and the actions the user can take. */

import { ActionIcon, Button, Menu, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy, IconDeviceFloppy, IconDots, IconLink, IconPencil, IconShare2, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { t } from "@/i18n";
import { notice } from "@/ui/notice";
import type { Rights } from "@/ui/sharing/rights";

import styles from "./Open.module.css";
import { SaveState } from "./SaveState";
import type { Snapshot } from "./writing";

export type DialogName = "share" | "delete" | "conflict";

interface Props {
  now: Snapshot;
  /** Back link to the list. */
  back: ReactNode;
  label: string;
  rights: Rights;
  edits: boolean;
  /** Console address of a saved text; without it, the text can't be shared or deleted. */
  address?: string;
  /** Labels of the menu and of its delete item. */
  words: { more: string; delete: string };
  /** More actions. */
  children?: ReactNode;
  onSave: () => void;
  onTurn: (toEdit: boolean) => void;
  onDialog: (dialog: DialogName) => void;
}

export function Toolbar({ now, back, label, rights, edits, address, words, children, onSave, onTurn, onDialog }: Props) {
  return (
    <div className={styles.toolbar} role="toolbar" aria-label={label}>
      {back}
      <SaveState now={now} mayWrite={rights.write} onConflict={() => onDialog("conflict")} />
      <span className={styles.space} />
      {edits && <Save onSave={onSave} />}
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
      {children}
      {rights.manage && address && (
        <Button variant="default" size="compact-md" className={edits ? styles.later : undefined} onClick={() => onDialog("share")}>
          <IconShare2 aria-hidden size={15} />
          <span className={styles.word}>{t("sharing.share")}</span>
        </Button>
      )}
      {address && <More now={now} address={address} words={words} mayDelete={rights.delete} onDelete={() => onDialog("delete")} />}
    </div>
  );
}

function Save({ onSave }: { onSave: () => void }) {
  return (
    <Tooltip label={t("writing.save.now")} openDelay={300}>
      <Button variant="default" size="compact-md" aria-keyshortcuts="Control+S Meta+S" onClick={onSave}>
        <IconDeviceFloppy aria-hidden size={15} />
        <span className={styles.word}>{t("action.save")}</span>
      </Button>
    </Tooltip>
  );
}

interface MoreProps {
  now: Snapshot;
  address: string;
  words: Props["words"];
  mayDelete: boolean;
  onDelete: () => void;
}

function More({ now, address, words, mayDelete, onDelete }: MoreProps) {
  async function copy(text: string, said: string): Promise<void> {
    await navigator.clipboard.writeText(text);
    notice(said);
  }
  const link = new URL(address, location.href).href;
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={32} aria-label={words.more}>
          <IconDots aria-hidden size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconLink aria-hidden size={15} />} onClick={() => void copy(link, t("writing.link.copied"))}>
          {t("writing.link.copy")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconCopy aria-hidden size={15} />}
          onClick={() => void copy(`# ${now.text.title}\n\n${now.text.body}`, t("writing.markdown.copied"))}
        >
          {t("writing.markdown.copy")}
        </Menu.Item>
        {mayDelete && (
          <>
            <Menu.Divider />
            <Menu.Item color="danger" leftSection={<IconTrash aria-hidden size={15} />} onClick={onDelete}>
              {words.delete}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
