/** The files before and after the open one, in the order of their folder: by buttons, J and K, or arrow keys. */

import { ActionIcon, Tooltip } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { IconChevronLeft, IconChevronRight, type Icon } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";

import { t } from "@/i18n";
import { useCommand } from "@/ui/commands";
import { useNames } from "@/ui/names";

import { fileEntry, type FileEntry } from "../browser/entries";
import { inOrder, MOST_SORTED, useOrder } from "../browser/order";
import { folderOf } from "../place";
import { useEager, useFolder, type FileObject } from "../queries";

/** What uses the arrow keys itself. */
const BUSY = "input, textarea, select, audio, video, iframe, [contenteditable], [role=dialog], [role=menu], [role=tablist], [role=tree], [role=region], [role=radiogroup]";

export function Neighbours({ file }: { file: FileObject }) {
  const go = useNavigate();
  const [order] = useOrder();
  const { ofOrYou } = useNames();
  const folder = useFolder({ folder: folderOf(file.key), show: "all" });
  const { data, hasNextPage } = folder;
  const isLong = data !== undefined && data.folders.length + data.items.length >= MOST_SORTED;
  useEager(folder, !isLong);
  const files = useMemo(() => {
    const items = data?.items.map(fileEntry) ?? [];
    return isLong && hasNextPage ? items : (inOrder([], items, order, ofOrYou) as FileEntry[]);
  }, [data, isLong, hasNextPage, order, ofOrYou]);
  // What comes with a later page may stand between.
  const place = hasNextPage && !isLong ? -1 : files.findIndex(({ id }) => id === file.id);
  const before = place > 0 ? files[place - 1] : undefined;
  const after = place >= 0 ? files[place + 1] : undefined;
  const open = (entry?: FileEntry): boolean => {
    if (entry) void go({ to: "/files/$id", params: { id: entry.id }, replace: true });
    return entry !== undefined;
  };
  useCommand("next", () => open(after));
  useCommand("previous", () => open(before));
  useWindowEvent("keydown", (event) => {
    const step = { ArrowLeft: before, ArrowRight: after }[event.key];
    const isBusy = event.target instanceof Element && event.target.closest(BUSY) !== null;
    if (!step || isBusy || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
    open(step);
  });
  if (files.length < 2 || place < 0) return null;
  return (
    <>
      <Step label={t("files.previous")} keys="k" icon={IconChevronLeft} entry={before} open={open} />
      <Step label={t("files.next")} keys="j" icon={IconChevronRight} entry={after} open={open} />
    </>
  );
}

interface StepProps {
  label: string;
  keys: string;
  icon: Icon;
  entry?: FileEntry;
  open: (entry?: FileEntry) => unknown;
}

function Step({ label, keys, icon: Picture, entry, open }: StepProps) {
  return (
    <Tooltip label={entry ? `${entry.name} (${keys})` : label} openDelay={300}>
      <ActionIcon variant="subtle" color="gray" size={32} aria-label={label} aria-keyshortcuts={keys} disabled={!entry} onClick={() => open(entry)}>
        <Picture aria-hidden size={18} />
      </ActionIcon>
    </Tooltip>
  );
}
