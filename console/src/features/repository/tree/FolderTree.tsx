/** Folders as a tree: each one's folders are loaded when it's opened. The keys are those of a tree (ARIA practices). */

import { Loader } from "@mantine/core";
import { IconChevronRight, IconFolder, IconFolderOpen, IconHome } from "@tabler/icons-react";
import { useRef, useState, type KeyboardEvent, type MouseEvent } from "react";

import { t } from "@/i18n";

import { useDropTarget } from "../browser/dragging";
import { crumbsOf } from "../place";
import { useSubfolders } from "../queries";
import styles from "./FolderTree.module.css";
import { stepIn } from "./keys";

interface Props {
  label: string;
  /** The chosen folder. */
  current: string;
  onChoose: (folder: string) => void;
  /** Where a dialog begins. */
  first?: boolean;
}

interface Tree extends Pick<Props, "current" | "onChoose" | "first"> {
  opened: ReadonlySet<string>;
  /** The folder that Tab reaches. */
  reached: string;
  onReach: (folder: string) => void;
  toggle: (folder: string, open?: boolean) => void;
}

export function FolderTree({ label, current, onChoose, first }: Props) {
  const tree = useRef<HTMLUListElement>(null);
  // From where a dialog begins, one mostly goes further down.
  const [own, setOwn] = useState<ReadonlyMap<string, boolean>>(new Map([["", true], ...(first ? [[current, true] as const] : [])]));
  const [reached, setReached] = useState(current);
  // The way to the chosen folder is open, unless someone closes it.
  const way = ["", ...crumbsOf(current).slice(0, -1).map(({ folder }) => folder)];
  const opened = new Set([...way.filter((folder) => own.get(folder) !== false), ...[...own].filter(([, open]) => open).map(([folder]) => folder)]);
  const toggle = (folder: string, open = !opened.has(folder)): void => setOwn(new Map(own).set(folder, open));
  function onKeyDown(event: KeyboardEvent): void {
    const items = [...(tree.current?.querySelectorAll<HTMLElement>("[role=treeitem]") ?? [])];
    const here = (event.target as HTMLElement).closest<HTMLElement>("[role=treeitem]");
    if (!here) return;
    const step = stepIn(items, here, event.key);
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const folder = here.dataset.folder ?? "";
    if (step === "choose") onChoose(folder);
    else if (step === "open" || step === "close") toggle(folder, step === "open");
    else step.focus();
  }
  return (
    <ul ref={tree} role="tree" aria-label={label} className={styles.tree} onKeyDown={onKeyDown}>
      <Node folder="" name={t("files.root")} level={1} tree={{ current, onChoose, first, opened, reached, onReach: setReached, toggle }} />
    </ul>
  );
}

function Node({ folder, name, level, tree }: { folder: string; name: string; level: number; tree: Tree }) {
  const isOpen = tree.opened.has(folder);
  const subfolders = useSubfolders(folder, isOpen);
  const drop = useDropTarget(folder);
  const isChosen = folder === tree.current;
  const isBare = subfolders.data?.folders.length === 0;
  const Picture = folder === "" ? IconHome : isOpen && !isBare ? IconFolderOpen : IconFolder;
  function choose(event: MouseEvent): void {
    event.stopPropagation();
    tree.onReach(folder);
    tree.onChoose(folder);
  }
  return (
    <li role="none">
      {/* The keys are the tree's. */}
      {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events */}
      <div
        role="treeitem"
        aria-level={level}
        aria-selected={isChosen}
        aria-expanded={isBare ? undefined : isOpen}
        data-folder={folder}
        data-into={folder}
        data-autofocus={(tree.first && folder === tree.reached) || undefined}
        tabIndex={folder === tree.reached ? 0 : -1}
        className={styles.line}
        style={{ paddingInlineStart: 6 + (level - 1) * 16 }}
        data-chosen={isChosen || undefined}
        data-over={drop.isOver || undefined}
        {...drop.handlers}
        onFocus={() => tree.onReach(folder)}
        onClick={choose}
      >
        {/* The arrow keys do the same. */}
        <span
          className={styles.arrow}
          data-open={isOpen || undefined}
          data-bare={isBare || undefined}
          aria-hidden
          onClick={(event) => {
            event.stopPropagation();
            tree.toggle(folder);
          }}
        >
          {subfolders.isLoading ? <Loader size={12} /> : <IconChevronRight size={14} />}
        </span>
        <Picture aria-hidden size={17} stroke={1.6} />
        <span className={styles.name}>{name}</span>
      </div>
      {isOpen && subfolders.data && subfolders.data.folders.length > 0 && (
        <ul role="group">
          {subfolders.data.folders.map((each) => (
            <Node key={each} folder={each} name={each.slice(folder.length, -1) || t("files.unnamed")} level={level + 1} tree={tree} />
          ))}
        </ul>
      )}
      {isOpen && subfolders.data?.more && (
        <span className={styles.more} style={{ paddingInlineStart: 44 + (level - 1) * 16 }}>
          {t("files.tree.more")}
        </span>
      )}
    </li>
  );
}
