/** A folder as tiles, with thumbnails of pictures. */

import { memo, useMemo, useRef } from "react";

import { t } from "@/i18n";
import { bytes } from "@/ui/quantities";
import { Time } from "@/ui/Time";

import { useEntryActions } from "../actions";
import { endDrag, startDrag, useDropTarget } from "./dragging";
import { itemsOf, type Entry } from "./entries";
import { EntryLink } from "./EntryLink";
import { EntryMenu, MenuAt } from "./EntryMenu";
import { NARROW, useNearEnd, type Shown } from "./FileList";
import list from "./FileList.module.css";
import { useRows, useWidth } from "./rows";
import { SelectionBar } from "./SelectionBar";
import { none } from "./selection";
import { Thumbnail } from "./Thumbnail";
import styles from "./Tiles.module.css";
import { useGrid, type GridHandlers } from "./useGrid";

const NARROWEST = 168;
const GAP = 12;
const HEIGHT = 196;
const HEAD = 48;

export function Tiles({ place, entries, selection, onSelection, more, onEnd }: Shown) {
  const grid = useRef<HTMLDivElement>(null);
  const rowsOf = useRef<HTMLDivElement>(null);
  const width = useWidth(grid);
  const { may } = useEntryActions();
  const columns = Math.max(2, Math.floor((width + GAP) / (NARROWEST + GAP)));
  const count = Math.ceil(entries.length / columns);
  const active = selection.active === null ? -1 : entries.findIndex(({ id }) => id === selection.active);
  const rows = useRows({ list: rowsOf, count, height: HEIGHT + GAP, kept: active < 0 ? -1 : Math.floor(active / columns), head: HEAD });
  const keys = useGrid({ grid, folder: place.folder, entries, columns, selection, onSelection, reveal: (index) => rows.scrollToIndex(Math.floor(index / columns)) });
  const items = rows.getVirtualItems();
  useNearEnd((items.at(-1)?.index ?? 0) * columns, entries.length, onEnd);
  const chosen = useMemo(() => (selection.chosen.size === 0 ? [] : entries.filter(({ id }) => selection.chosen.has(id))), [entries, selection.chosen]);
  return (
    // The keys walk from tile to tile.
    // eslint-disable-next-line jsx-a11y/interactive-supports-focus
    <div
      ref={grid}
      role="grid"
      aria-label={place.show === "shared" ? t("files.show.shared") : place.folder || t("files.root")}
      aria-rowcount={more ? -1 : count}
      aria-multiselectable
      onFocus={keys.onFocus}
      onBlur={keys.onBlur}
      onKeyDown={keys.onKeyDown}
      onContextMenu={keys.onContextMenu}
    >
      {keys.menu && <MenuAt key={`${keys.menu.x} ${keys.menu.y}`} {...keys.menu} />}
      {chosen.length > 0 && (
        <div className={styles.head} role="row">
          <div role="gridcell">
            <SelectionBar entries={chosen} narrow={width < NARROW} onClear={() => onSelection(none(selection))} />
          </div>
        </div>
      )}
      <div ref={rowsOf} role="rowgroup" className={styles.rows} style={{ height: rows.getTotalSize() }}>
        {items.map(({ index, start }) => (
          <div
            key={index}
            role="row"
            aria-rowindex={index + 1}
            className={styles.row}
            style={{ transform: `translateY(${start - rows.options.scrollMargin}px)`, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
          >
            {entries.slice(index * columns, (index + 1) * columns).map((entry, place) => (
              <Tile
                key={entry.id}
                entry={entry}
                isActive={index * columns + place === keys.active}
                isChosen={selection.chosen.has(entry.id)}
                mayDrag={may("move")}
                on={keys.on}
              />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

interface TileProps {
  entry: Entry;
  isActive: boolean;
  isChosen: boolean;
  mayDrag: boolean;
  on: GridHandlers;
}

const Tile = memo(function Tile({ entry, isActive, isChosen, mayDrag, on }: TileProps) {
  const drop = useDropTarget(entry.isFolder ? entry.key : "\0");
  const tabIndex = isActive ? 0 : -1;
  return (
    // The keys are the grid's.
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      role="gridcell"
      className={styles.tile}
      data-chosen={isChosen || undefined}
      data-over={drop.isOver || undefined}
      data-into={entry.isFolder ? entry.key : undefined}
      draggable={mayDrag}
      onDragStart={(event) => startDrag(event, on.chosen(entry))}
      onDragEnd={endDrag}
      {...(entry.isFolder && drop.handlers)}
      tabIndex={tabIndex}
      data-entry={entry.id}
      aria-selected={isChosen}
      onFocus={() => on.focus(entry)}
      onClick={(event) => on.click(entry, event)}
      onDoubleClick={(event) => on.open(entry, event)}
    >
      <EntryLink entry={entry} tabIndex={-1} className={styles.picture} hidden>
        <Thumbnail entry={entry} size="large" icon={44} />
      </EntryLink>
      <input
        type="checkbox"
        className={`${list.box} ${styles.box}`}
        tabIndex={tabIndex}
        aria-label={t("files.select", { name: entry.name })}
        checked={isChosen}
        onChange={(event) => on.check(entry, (event.nativeEvent as MouseEvent).shiftKey)}
      />
      <div className={styles.foot}>
        <EntryLink entry={entry} tabIndex={tabIndex} className={styles.link}>
          <span className={list.name} title={entry.name}>{entry.name}</span>
        </EntryLink>
        <EntryMenu entry={entry} tabIndex={tabIndex} />
        <span className={styles.second}>
          {entry.isFolder ? (
            itemsOf(entry) || t("files.kind.folder")
          ) : (
            <>
              {bytes(entry.item.size)} · <Time at={entry.item.updated_at} />
            </>
          )}
        </span>
      </div>
    </div>
  );
});
