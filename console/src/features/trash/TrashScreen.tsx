/** The trash: what was deleted, until when it can be restored, and how to get it back. */

import { Button } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Endless } from "@/ui/endless";
import { notice } from "@/ui/notice";
import { Page } from "@/ui/Page";
import { Skeleton } from "@/ui/skeleton/Skeleton";
import { Empty, Failed } from "@/ui/states";
import { fits } from "@/ui/TextFilter";
import { purgeMany, restoreMany } from "@/ui/trash/many";
import { useTrashDays } from "@/ui/trash/queries";

import { useEmpty, usePurge, useTrash, type TrashItem } from "./queries";
import { RestoreElsewhere } from "./RestoreElsewhere";
import { TrashBar } from "./TrashBar";
import { TrashTable } from "./TrashTable";

type Dialog = { kind: "empty" } | { kind: "many"; ids: string[] } | { kind: "purge" | "elsewhere"; item: TrashItem } | null;

/** Above this many items, a filter is shown. */
const MANY = 8;

export default function TrashScreen() {
  const days = useTrashDays();
  const trash = useTrash();
  const client = useQueryClient();
  const [dialog, setDialog] = useState<Dialog>(null);
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const close = (): void => setDialog(null);
  const items = trash.data ?? [];
  const shown = items.filter(({ title, key }) => fits(words, title, key ?? ""));
  // What the filter hides is left alone.
  const ids = shown.map(({ id }) => id).filter((id) => chosen.has(id));
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
        <TrashBar
          count={shown.length}
          selected={ids.length}
          onAll={() => setChosen(new Set(ids.length === shown.length ? [] : shown.map(({ id }) => id)))}
          onRestore={() => void restoreMany(client, ids)}
          onPurge={() => setDialog({ kind: "many", ids })}
          words={words}
          onWords={items.length > MANY || trash.hasNextPage || words !== "" ? setWords : undefined}
        />
      )}
      {shown.length > 0 && (
        <TrashTable
          items={shown}
          chosen={chosen}
          onChoose={({ id }) => setChosen(toggled(chosen, id))}
          onPurge={(item) => setDialog({ kind: "purge", item })}
          onTaken={(item) => setDialog({ kind: "elsewhere", item })}
        />
      )}
      {items.length > 0 && (
        <p className={words === "" ? "sr-only" : "muted"} role="status">
          {words !== "" && t("files.filter.found", { count: shown.length })}
        </p>
      )}
      <Endless query={trash} eager={words !== ""} />
      {dialog?.kind === "empty" && <EmptyDialog onClose={close} />}
      {dialog?.kind === "many" && <PurgeManyDialog ids={dialog.ids} onClose={close} />}
      {dialog?.kind === "purge" && <PurgeDialog item={dialog.item} onClose={close} />}
      {dialog?.kind === "elsewhere" && <RestoreElsewhere item={dialog.item} onClose={close} />}
    </Page>
  );
}

function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (!next.delete(id)) next.add(id);
  return next;
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

function PurgeManyDialog({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) {
  const client = useQueryClient();
  // A toast shows how far it is, and what failed.
  function perform(): Promise<void> {
    void purgeMany(client, ids);
    return Promise.resolve();
  }
  return (
    <ConfirmDialog title={t("trash.purge.many", { count: ids.length })} confirm={t("trash.purge")} perform={perform} onClose={onClose}>
      <p>{t("trash.purge.many.words")}</p>
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
