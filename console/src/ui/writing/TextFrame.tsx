/** The frame of a text: top bar with its save state and the actions the user can take, and the inspector. */

import { Button, Menu, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy, IconDeviceFloppy, IconLink, IconPencil, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { t } from "@/i18n";
import { copy } from "@/ui/clipboard";
import type { InspectorTab } from "@/ui/inspector/tabs";
import type { Rights } from "@/ui/sharing/rights";
import type { Crumb } from "@/ui/topbar/crumbs";
import { ItemFrame } from "@/ui/topbar/ItemFrame";

import styles from "./Open.module.css";
import { SaveState } from "./SaveState";
import type { Snapshot } from "./writing";

export type DialogName = "share" | "delete" | "conflict";

interface Props {
  name: "note" | "document";
  now: Snapshot;
  crumbs: readonly Crumb[];
  label: string;
  rights: Rights;
  edits: boolean;
  /** Console address of a saved text; without it, the text can't be shared or deleted. */
  address?: string;
  /** Labels of the menu and of its delete item. */
  words: { more: string; delete: string };
  /** Whether anyone with an address can open it. */
  isPublic?: boolean;
  tabs: readonly InspectorTab[];
  /** Who else is here. */
  who?: ReactNode;
  /** More items of the menu. */
  more?: ReactNode;
  children: ReactNode;
  onSave: () => void;
  onTurn: (toEdit: boolean) => void;
  onDialog: (dialog: DialogName) => void;
}

export function TextFrame({ name, now, crumbs, label, rights, edits, address, words, isPublic, tabs, who, more, children, onSave, onTurn, onDialog }: Props) {
  return (
    <ItemFrame
      name={name}
      label={label}
      crumbs={crumbs}
      here={now.text.title.trim() || t("writing.untitled")}
      subject={address && now.id ? { kind: name, id: now.id } : undefined}
      state={<SaveState now={now} mayWrite={rights.write} onConflict={() => onDialog("conflict")} />}
      who={who}
      actions={
        <>
          {edits && <Save onSave={onSave} />}
          {rights.write && !now.offer && <Turn edits={edits} onTurn={onTurn} />}
        </>
      }
      crowded={edits}
      isPublic={isPublic}
      onShare={rights.manage && address ? () => onDialog("share") : undefined}
      more={
        address
          ? {
              label: words.more,
              items: (
                <>
                  {more}
                  <Copying now={now} address={address} />
                  {rights.delete && (
                    <>
                      <Menu.Divider />
                      <Menu.Item color="danger" leftSection={<IconTrash aria-hidden size={15} />} onClick={() => onDialog("delete")}>
                        {words.delete}
                      </Menu.Item>
                    </>
                  )}
                </>
              ),
            }
          : undefined
      }
      tabs={tabs}
    >
      {children}
    </ItemFrame>
  );
}

function Turn({ edits, onTurn }: Pick<Props, "edits" | "onTurn">) {
  return (
    <Button
      variant={edits ? "filled" : "default"}
      size="compact-md"
      leftSection={edits ? <IconCheck aria-hidden size={15} /> : <IconPencil aria-hidden size={15} />}
      onClick={() => onTurn(!edits)}
    >
      {edits ? t("writing.edit.done") : t("action.edit")}
    </Button>
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

function Copying({ now, address }: { now: Snapshot; address: string }) {
  const link = new URL(address, location.href).href;
  return (
    <>
      <Menu.Item leftSection={<IconLink aria-hidden size={15} />} onClick={() => void copy(link, t("writing.link.copied"))}>
        {t("writing.link.copy")}
      </Menu.Item>
      <Menu.Item
        leftSection={<IconCopy aria-hidden size={15} />}
        onClick={() => void copy(`# ${now.text.title}\n\n${now.text.body}`, t("writing.markdown.copied"))}
      >
        {t("writing.markdown.copy")}
      </Menu.Item>
    </>
  );
}
