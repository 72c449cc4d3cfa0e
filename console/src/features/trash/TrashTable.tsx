/** The items of the trash: what, where, when and by whom deleted, and until when it is kept. */

import { ActionIcon, Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconFile, IconFileText, IconNotes, IconRestore, IconTrash } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { DataTable } from "@/ui/DataTable";
import { useNames } from "@/ui/names";
import { closing, noticeFault } from "@/ui/notice";
import { Time } from "@/ui/Time";
import { placeOf } from "@/ui/trash/places";
import type { Restored } from "@/ui/trash/queries";

import { useRestore, type TrashItem } from "./queries";
import styles from "./Trash.module.css";

const ICONS = { note: IconNotes, document: IconFileText, file: IconFile } as const;

interface Props {
  items: readonly TrashItem[];
  chosen: ReadonlySet<string>;
  onChoose: (item: TrashItem) => void;
  onPurge: (item: TrashItem) => void;
  /** Its key has another file by now. */
  onTaken: (item: TrashItem) => void;
}

export function TrashTable({ items, chosen, onChoose, onPurge, onTaken }: Props) {
  const names = useNames();
  return (
    <DataTable
      caption={t("trash.table")}
      rows={items}
      keyOf={({ id }) => id}
      isChosen={({ id }) => chosen.has(id)}
      choice={(item) => (
        <input
          type="checkbox"
          className={styles.box}
          aria-label={t("files.select", { name: item.title })}
          checked={chosen.has(item.id)}
          onChange={() => onChoose(item)}
        />
      )}
      columns={[
        { title: t("trash.column.name"), cell: (item) => <Name item={item} /> },
        {
          title: t("trash.column.deleted"),
          cell: (item) => (
            <>
              <Time at={item.deleted_at} /> <span className="muted">{t("trash.by", { person: names.ofOrYou(item.deleted_by) })}</span>
            </>
          ),
        },
        { title: t("trash.column.until"), cell: (item) => <Time at={item.until} /> },
      ]}
      actions={(item) => <Actions item={item} onPurge={onPurge} onTaken={onTaken} />}
    />
  );
}

function Name({ item }: { item: TrashItem }) {
  const Picture = ICONS[item.kind];
  return (
    <span className={styles.name}>
      <Picture aria-hidden size={18} className={styles.picture} />
      <span className={styles.words}>
        <span>{item.title}</span>
        <span className={styles.place}>{item.kind === "file" && item.key ? item.key : t(`trash.kind.${item.kind}`)}</span>
      </span>
    </span>
  );
}

function Actions({ item, onPurge, onTaken }: { item: TrashItem } & Pick<Props, "onPurge" | "onTaken">) {
  const restore = useRestore();
  const told = useToldRestored();
  async function bringBack(): Promise<void> {
    try {
      told(await restore.mutateAsync({ id: item.id }));
    } catch (fault) {
      if (fault instanceof Refusal && fault.status === 409 && item.key) onTaken(item);
      else noticeFault(fault);
    }
  }
  return (
    <span className={styles.actions}>
      <Button
        variant="default"
        size="compact-md"
        leftSection={<IconRestore aria-hidden size={16} />}
        loading={restore.isPending}
        aria-label={t("trash.restore.named", { title: item.title })}
        onClick={() => void bringBack()}
      >
        {t("trash.restore")}
      </Button>
      <ActionIcon variant="subtle" color="gray" size={32} aria-label={t("trash.purge.named", { title: item.title })} onClick={() => onPurge(item)}>
        <IconTrash aria-hidden size={18} />
      </ActionIcon>
    </span>
  );
}

/** Says that an item is back, with the way to it. */
export function useToldRestored(): (restored: Restored) => void {
  const go = useNavigate();
  return (restored) => {
    const toast = notifications.show({
      color: "success",
      autoClose: 10_000,
      ...closing(),
      message: (
        <span className={styles.told}>
          <span>{t("trash.restored", { title: restored.title })}</span>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              notifications.hide(toast);
              void go({ to: placeOf(restored) });
            }}
          >
            {t("trash.open")}
          </Button>
        </span>
      ),
    });
  };
}
