/** The trash: what was deleted, until when it can be restored, and how to get it back. */

import { Button } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useState } from "react";

import { t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Endless } from "@/ui/endless";
import { notice } from "@/ui/notice";
import { Page } from "@/ui/Page";
import { Skeleton } from "@/ui/skeleton/Skeleton";
import { Empty, Failed } from "@/ui/states";
import { useTrashDays } from "@/ui/trash/queries";

import { useEmpty, usePurge, useTrash, type TrashItem } from "./queries";
import { RestoreElsewhere } from "./RestoreElsewhere";
import { TrashTable } from "./TrashTable";

type Dialog = { kind: "empty" } | { kind: "purge" | "elsewhere"; item: TrashItem } | null;

export default function TrashScreen() {
  const days = useTrashDays();
  const trash = useTrash();
  const [dialog, setDialog] = useState<Dialog>(null);
  const close = (): void => setDialog(null);
  const items = trash.data ?? [];
  return (
    <Page
      title={t("trash.title")}
      intro={days > 0 ? t("trash.intro", { days }) : t("trash.intro.off")}
      actions={
        items.length > 0 && (
          <Button variant="default" leftSection={<IconTrash aria-hidden size={16} />} onClick={() => setDialog({ kind: "empty" })}>
            {t("trash.empty")}
          </Button>
        )
      }
    >
      {trash.isPending && <Skeleton shape="table" />}
      {trash.isError && !trash.data && <Failed error={trash.error} again={() => void trash.refetch()} />}
      {trash.data && items.length === 0 && (
        <Empty title={t("trash.none")} icon={IconTrash}>
          {days > 0 && t("trash.none.words", { days })}
        </Empty>
      )}
      {items.length > 0 && (
        <TrashTable
          items={items}
          onPurge={(item) => setDialog({ kind: "purge", item })}
          onTaken={(item) => setDialog({ kind: "elsewhere", item })}
        />
      )}
      <Endless query={trash} />
      {dialog?.kind === "empty" && <EmptyDialog onClose={close} />}
      {dialog?.kind === "purge" && <PurgeDialog item={dialog.item} onClose={close} />}
      {dialog?.kind === "elsewhere" && <RestoreElsewhere item={dialog.item} onClose={close} />}
    </Page>
  );
}

function EmptyDialog({ onClose }: { onClose: () => void }) {
  const empty = useEmpty();
  async function perform(): Promise<void> {
    notice(t("trash.emptied", { count: await empty.mutateAsync() }));
  }
  return (
    <ConfirmDialog title={t("trash.empty.title")} confirm={t("trash.empty")} perform={perform} onClose={onClose}>
      <p>{t("trash.empty.words")}</p>
    </ConfirmDialog>
  );
}

function PurgeDialog({ item, onClose }: { item: TrashItem; onClose: () => void }) {
  const purge = usePurge();
  async function perform(): Promise<void> {
    await purge.mutateAsync(item.id);
    notice(t("trash.purged", { title: item.title }));
  }
  return (
    <ConfirmDialog title={t("trash.purge.title", { title: item.title })} confirm={t("trash.purge")} perform={perform} onClose={onClose}>
      <p>{t("trash.purge.words")}</p>
    </ConfirmDialog>
  );
}
