/** A row of a folder's list. */

import { memo, type ReactNode } from "react";

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
  /** Scrolled past: only the name is shown. */
  isBrief: boolean;
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
export const FileRow = memo(function FileRow({ entry, index, top, isBrief, narrow, isFar, isActive, isChosen, mayDrag, isStarred, owner, on }: Props) {
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
      data-brief={isBrief || undefined}
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
      <Check entry={entry} isBrief={isBrief} tabIndex={tabIndex} isChosen={isChosen} on={on} />
      <span role="rowheader" className={styles.title}>
        <EntryLink entry={entry} tabIndex={tabIndex} className={styles.link}>
          <Thumbnail entry={entry} size="small" icon={20} isBrief={isBrief} />
          <span className={styles.name} title={entry.name}>{entry.name}</span>
        </EntryLink>
        {isStarred && <StarMark />}
        {folder && <span className={styles.where}>{folder}</span>}
        {narrow && !folder && <Under entry={entry} isBrief={isBrief} />}
      </span>
      {!narrow && <Cells entry={entry} isBrief={isBrief} owner={owner} />}
      <More entry={entry} isBrief={isBrief} tabIndex={tabIndex} />
    </div>
  );
});

interface PartProps {
  entry: Entry;
  isBrief: boolean;
}

/** A part of a row, which keeps what it shows, unseen, while the row is brief. */
function part<Props extends PartProps>(Part: (props: Props) => ReactNode) {
  return memo(Part, (before, after) => after.isBrief || (Object.keys(after) as (keyof Props)[]).every((key) => before[key] === after[key]));
}

const Check = part(function Check({ entry, tabIndex, isChosen, on }: PartProps & Pick<Props, "isChosen" | "on"> & { tabIndex: number }) {
  return (
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
  );
});

const Under = part(function Under({ entry }: PartProps) {
  return <span className={styles.where}>{entry.isFolder ? itemsOf(entry) || t("files.kind.folder") : <Meta entry={entry} />}</span>;
});

const More = part(function More({ entry, tabIndex }: PartProps & { tabIndex: number }) {
  return (
    <span role="gridcell" className={styles.menu}>
      <EntryMenu entry={entry} tabIndex={tabIndex} />
    </span>
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

const Cells = part(function Cells({ entry, owner }: PartProps & { owner: string }) {
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
});
