/** Contents of a folder: filtered, sorted and selected, as a list or as tiles. */

import { Button } from "@mantine/core";
import { useMemo, useState } from "react";

import { t } from "@/i18n";
import { Endless } from "@/ui/endless";
import { useNames } from "@/ui/names";
import { Skeleton } from "@/ui/skeleton/Skeleton";
import { Failed } from "@/ui/states";
import { fits, TextFilter } from "@/ui/TextFilter";

import type { Place } from "../place";
import { useChangedList, useEager, useFolder } from "../queries";
import { fileEntry, folderEntry, type Entry } from "./entries";
import { FileList, type Shown } from "./FileList";
import styles from "./Files.module.css";
import { NoFiles } from "./NoFiles";
import { inOrder, MOST_SORTED, useOrder } from "./order";
import { kept, NOTHING } from "./selection";
import { SortMenu } from "./SortMenu";
import { Tiles } from "./Tiles";
import type { As } from "./View";

/** Above this many entries, a filter is shown. */
const MANY = 8;

export function Folder({ place, view }: { place: Place; view: As }) {
  const [words, setWords] = useState("");
  const [selection, setSelection] = useState(NOTHING);
  const [order, setOrder] = useOrder();
  const { ofOrYou } = useNames();
  const folder = useFolder(place);
  const { data, hasNextPage } = folder;
  const count = data ? data.folders.length + data.items.length : 0;
  const sortable = place.show === "all" ? count < MOST_SORTED || !hasNextPage : !hasNextPage;
  const all = useMemo(() => {
    const folders = data?.folders.map((key) => folderEntry(key, place.folder, data.facts.get(key))) ?? [];
    const files = data?.items.map(fileEntry) ?? [];
    return sortable ? inOrder(folders, files, order, ofOrYou) : [...folders, ...files];
  }, [data, place, order, sortable, ofOrYou]);
  const entries = useMemo(() => (words === "" ? all : all.filter((entry) => fits(words, place.show === "shared" ? entry.key : entry.name))), [all, words, place]);
  const present = useMemo(() => new Set(entries.map(({ id }) => id)), [entries]);
  // As much as can be sorted is loaded at once; the rest by scrolling.
  const more = useEager(folder, count < MOST_SORTED || words !== "");
  if (folder.isPending) return <Skeleton shape={view === "tiles" ? "cards" : "table"} />;
  if (folder.isError && !data) return <Failed error={folder.error} again={() => void folder.refetch()} />;
  if (count === 0) return <NoFiles place={place} />;
  const shown: Shown = {
    place, entries, order: sortable ? order : undefined, onOrder: setOrder, selection: kept(selection, present), onSelection: setSelection,
    more: hasNextPage, onEnd: more,
  };
  return (
    <>
      <div className={styles.tools}>
        {(count > MANY || hasNextPage) && (
          <div className={styles.filter}>
            <TextFilter label={t("files.filter")} value={words} onChange={setWords} />
          </div>
        )}
        {sortable && count > 1 && <SortMenu order={order} onOrder={setOrder} always={view === "tiles"} />}
      </div>
      <Notes place={place} count={count} sortable={sortable} more={hasNextPage} />
      {entries.length > 0 && (view === "tiles" ? <Tiles {...shown} /> : <FileList {...shown} />)}
      <p className={words === "" ? "sr-only" : styles.count} role="status">
        {words === "" ? said(shown, entries, selection.chosen.size) : t("files.filter.found", { count: entries.length })}
      </p>
      {folder.isFetchNextPageError && <Endless query={folder} />}
    </>
  );
}

/** What a screen reader is told. */
function said({ order }: Shown, entries: readonly Entry[], chosen: number): string {
  if (chosen > 0) return t("files.selected", { count: chosen });
  return order && entries.length > 1 ? t("files.sorted", { column: t(`files.column.${order.by}`), direction: order.descending ? "descending" : "ascending" }) : "";
}

function Notes({ place, count, sortable, more }: { place: Place; count: number; sortable: boolean; more: boolean }) {
  const [changed, reload] = useChangedList(place);
  if (changed) {
    return (
      <p className={styles.note} role="status">
        {t("files.changed")}
        <Button size="compact-sm" variant="default" onClick={reload}>
          {t("files.changed.reload")}
        </Button>
      </p>
    );
  }
  if (!sortable && place.show === "all") return <p className={styles.note}>{t("files.sort.many", { count: MOST_SORTED })}</p>;
  return more ? <p className={styles.note} role="status">{t("files.loading", { count })}</p> : null;
}
