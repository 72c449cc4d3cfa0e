/** A folder as a list: one row per entry, sorted by its columns. */

import { IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { startTransition, useEffect, useMemo, useRef, useState } from "react";

import { t } from "@/i18n";
import { useNames } from "@/ui/names";
import { useStarred } from "@/ui/shortcuts/queries";

import { useEntryActions } from "../actions";
import type { Place } from "../place";
import type { Entry } from "./entries";
import { MenuAt } from "./EntryMenu";
import styles from "./FileList.module.css";
import { FileRow } from "./FileRow";
import { COLUMNS, turned, type Column, type Order } from "./order";
import { useRows, useWidth } from "./rows";
import { SelectionBar } from "./SelectionBar";
import { none, type Selection } from "./selection";
import { Pace, Slots } from "./slots";
import { useGrid } from "./useGrid";

export interface Shown {
  place: Place;
  entries: readonly Entry[];
  /** Undefined if there are more entries than can be sorted. */
  order?: Order;
  onOrder: (order: Order) => void;
  selection: Selection;
  onSelection: (selection: Selection) => void;
  /** Whether more entries follow, so that their number isn't known. */
  more: boolean;
  /** The last entries are nearly in sight. */
  onEnd: () => void;
}

const HEIGHT = 44;
const NARROW_HEIGHT = 60;
/** Below these widths a column more is left out. */
const MIDDLING = 900;
const SMALL = 720;
/** Below this width the columns go under the name. */
export const NARROW = 620;
const HEAD = 48;
/** When a column is left out. */
const CLASSES: Partial<Record<Column, string>> = { kind: styles.wide, owner: styles.widest };

export function FileList({ place, entries, order, onOrder, selection, onSelection, more, onEnd }: Shown) {
  const grid = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const width = useWidth(grid);
  const { may } = useEntryActions();
  const names = useNames();
  const starred = useStarred("file");
  const narrow = width > 0 && width < NARROW;
  const kept = useMemo(() => (selection.active === null ? -1 : entries.findIndex(({ id }) => id === selection.active)), [entries, selection.active]);
  const rows = useRows({ list, count: entries.length, height: narrow ? NARROW_HEIGHT : HEIGHT, kept, head: HEAD });
  const keys = useGrid({ grid, folder: place.folder, entries, columns: 1, selection, onSelection, reveal: (index) => rows.scrollToIndex(index) });
  const items = rows.getVirtualItems();
  const [{ slots, pace }] = useState(() => ({ slots: new Slots(), pace: new Pace() }));
  const isFast = rows.isScrolling && pace.isFast(rows.range?.startIndex ?? 0, performance.now());
  const slotOf = slots.assign(items.map(({ index }) => index), isFast);
  const isAtRest = useRest(rows.isScrolling);
  // In the order of the slots until the list rests, so that no element has to be moved.
  const drawn = isAtRest ? items : [...items].sort((one, other) => slotOf.get(one.index)! - slotOf.get(other.index)!);
  useNearEnd(items.filter(({ index }) => index !== kept).at(-1)?.index ?? 0, entries.length, onEnd);
  const chosen = useMemo(() => (selection.chosen.size === 0 ? [] : entries.filter(({ id }) => selection.chosen.has(id))), [entries, selection.chosen]);
  const mayDrag = place.show === "all" && may("move");
  const all = chosen.length > 0 && chosen.length === entries.length;
  return (
    // The keys walk from row to row.
    // eslint-disable-next-line jsx-a11y/interactive-supports-focus
    <div
      ref={grid}
      role="grid"
      aria-label={place.show === "shared" ? t("files.show.shared") : place.folder || t("files.root")}
      aria-rowcount={more ? -1 : entries.length + 1}
      aria-multiselectable
      className={styles.grid}
      data-narrow={narrow || undefined}
      data-middling={(width > 0 && width < MIDDLING) || undefined}
      data-small={(width > 0 && width < SMALL) || undefined}
      onFocus={keys.onFocus}
      onBlur={keys.onBlur}
      onKeyDown={keys.onKeyDown}
      onContextMenu={keys.onContextMenu}
    >
      {keys.menu && <MenuAt key={`${keys.menu.x} ${keys.menu.y}`} {...keys.menu} />}
      <div className={styles.head} role="rowgroup">
        {chosen.length > 0 && <div className={styles.over} role="row"><div role="gridcell"><SelectionBar entries={chosen} narrow={narrow} onClear={() => onSelection(none(selection))} /></div></div>}
        <div role="row" aria-rowindex={1} className={styles.titles} data-covered={chosen.length > 0 || undefined}>
          <span role="columnheader">
            <input type="checkbox" className={styles.box} aria-label={t("files.select.all")} checked={all} onChange={keys.checkAll} />
          </span>
          {COLUMNS.map((column) => (
            <Title key={column} column={column} order={order} onOrder={onOrder} />
          ))}
          <span role="columnheader">
            <span className="sr-only">{t("ui.actions")}</span>
          </span>
        </div>
      </div>
      <div ref={list} role="rowgroup" className={styles.rows} style={{ height: rows.getTotalSize() }}>
        {drawn.map(({ index, start }) => {
          const entry = entries[index];
          return (
            entry && (
              <FileRow
                key={slotOf.get(index)}
                entry={entry}
                index={index}
                top={start - rows.options.scrollMargin}
                isBrief={slots.isBrief(index)}
                narrow={narrow}
                isFar={place.show === "shared"}
                isActive={index === keys.active}
                isChosen={selection.chosen.has(entry.id)}
                mayDrag={mayDrag}
                isStarred={starred.has(entry.id)}
                owner={entry.isFolder ? "" : names.ofOrYou(entry.item.owner)}
                on={keys.on}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

/** Turns of a wheel are further apart than what the browser calls the end of scrolling, the more so on a slow machine. */
const REST_MS = 600;

function useRest(isScrolling: boolean): boolean {
  const [isAtRest, setAtRest] = useState(true);
  useEffect(() => {
    if (isScrolling) {
      setAtRest(false);
      return;
    }
    const timer = setTimeout(() => startTransition(() => setAtRest(true)), REST_MS);
    return () => clearTimeout(timer);
  }, [isScrolling]);
  return isAtRest && !isScrolling;
}

function Title({ column, order, onOrder }: { column: Column; order?: Order; onOrder: (order: Order) => void }) {
  const isSorted = order?.by === column;
  const Arrow = order?.descending ? IconChevronDown : IconChevronUp;
  return (
    <span role="columnheader" aria-sort={isSorted ? (order.descending ? "descending" : "ascending") : order && "none"} data-column={column} className={CLASSES[column]}>
      {order ? (
        <button type="button" className={styles.sort} data-sorted={isSorted || undefined} onClick={() => onOrder(turned(order, column))}>
          {t(`files.column.${column}`)}
          <Arrow aria-hidden size={13} />
        </button>
      ) : (
        t(`files.column.${column}`)
      )}
    </span>
  );
}

/** Rows before the end at which more are loaded. */
const NEAR = 60;

export function useNearEnd(last: number, count: number, onEnd: () => void): void {
  const isNear = count > 0 && last >= count - NEAR;
  useEffect(() => {
    if (isNear) onEnd();
  }, [isNear, count, onEnd]);
}
