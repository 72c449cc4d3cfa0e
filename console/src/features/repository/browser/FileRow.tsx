/** A row of a folder's list. */

import { memo } from "react";

import { t } from "@/i18n";
import { bytes } from "@/ui/quantities";
import { StarMark } from "@/ui/shortcuts/StarMark";
import { Time } from "@/ui/Time";
import { PublicMark, VisibilityWord } from "@/ui/visibility/VisibilityWord";

import { folderOf } from "../place";
import { endDrag, startDrag, useDropTarget } from "./dragging";
import { changeOf, itemsOf, typeOf, type Entry, type FileEntry } from "./entries";
import { EntryLink } from "./EntryLink";
import { EntryMenu } from "./EntryMenu";
import styles from "./FileList.module.css";
import { Thumbnail } from "./Thumbnail";
import type { GridHandlers } from "./useGrid";

interface Props {
  entry: Entry;
  index: number;
  top: number;
  narrow: boolean;
  /** From another folder, which is shown too. */
  isFar: boolean;
  isActive: boolean;
  isChosen: boolean;
  mayDrag: boolean;
  isStarred: boolean;
  /** Name of the owner. */
  owner: string;
  on: GridHandlers;
}

/** A scrolled list renders only the rows that are new. */
export const FileRow = memo(function FileRow({ entry, index, top, narrow, isFar, isActive, isChosen, mayDrag, isStarred, owner, on }: Props) {
  const drop = useDropTarget(entry.isFolder ? entry.key : "\0");
  const tabIndex = isActive ? 0 : -1;
  const folder = isFar ? folderOf(entry.key) : "";
  return (
    // The keys are the grid's.
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      role="row"
      aria-rowindex={index + 2}
      className={styles.row}
      style={{ transform: `translateY(${top}px)` }}
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
      <span role="gridcell" className={styles.check}>
        <input
          type="checkbox"
          className={styles.box}
          tabIndex={tabIndex}
          aria-label={t("files.select", { name: entry.name })}
          checked={isChosen}
          onChange={(event) => on.check(entry, (event.nativeEvent as MouseEvent).shiftKey)}
        />
      </span>
      <span role="rowheader" className={styles.title}>
        <EntryLink entry={entry} tabIndex={tabIndex} className={styles.link}>
          <Thumbnail entry={entry} size="small" icon={20} />
          <span className={styles.name} title={entry.name}>{entry.name}</span>
        </EntryLink>
        {isStarred && <StarMark />}
        {folder && <span className={styles.where}>{folder}</span>}
        {narrow && !folder && <span className={styles.where}>{entry.isFolder ? itemsOf(entry) || t("files.kind.folder") : <Meta entry={entry} />}</span>}
      </span>
      {!narrow && <Cells entry={entry} owner={owner} />}
      <span role="gridcell" className={styles.menu}>
        <EntryMenu entry={entry} tabIndex={tabIndex} />
      </span>
    </div>
  );
});

function Meta({ entry: { item } }: { entry: FileEntry }) {
  return (
    <>
      {bytes(item.size)} · <Time at={item.updated_at} /> · {t(`visibility.${item.visibility}`)}
      {item.has_public_link && <> · <PublicMark /></>}
    </>
  );
}

function Cells({ entry, owner }: { entry: Entry; owner: string }) {
  const item = entry.isFolder ? undefined : entry.item;
  const changed = changeOf(entry);
  return (
    <>
      <span role="gridcell" data-column="size">{entry.isFolder ? itemsOf(entry) : bytes(entry.item.size)}</span>
      <span role="gridcell" className={styles.wide}>{typeOf(entry)}</span>
      <span role="gridcell">{changed && <Time at={changed} />}</span>
      <span role="gridcell">{item && <VisibilityWord visibility={item.visibility} isPublic={item.has_public_link} />}</span>
      <span role="gridcell" className={styles.widest}>{owner}</span>
    </>
  );
}
