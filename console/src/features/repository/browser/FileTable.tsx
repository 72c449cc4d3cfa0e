/** Contents of a folder: folders first, then files. */

import { IconFolderFilled } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useRef, type KeyboardEvent } from "react";

import { t } from "@/i18n";
import { useNames } from "@/ui/names";
import { bytes } from "@/ui/quantities";
import { Time } from "@/ui/Time";
import { VisibilityWord } from "@/ui/visibility/VisibilityWord";

import { extensionOf, kindOf } from "../kinds";
import { folderOf, nameOf, type Place } from "../place";
import type { FileItem } from "../queries";
import styles from "./Files.module.css";

interface Props {
  place: Place;
  folders: readonly string[];
  items: readonly FileItem[];
}

export function FileTable({ place, folders, items }: Props) {
  const body = useRef<HTMLTableSectionElement>(null);
  return (
    <div className={styles.room}>
      <table className={styles.table}>
        <caption className="sr-only">{place.show === "shared" ? t("files.show.shared") : place.folder || t("files.root")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("files.column.name")}</th>
            <th scope="col" className={styles.end}>{t("files.column.size")}</th>
            <th scope="col" className={styles.wide}>{t("files.column.kind")}</th>
            <th scope="col">{t("files.column.changed")}</th>
            <th scope="col">{t("files.column.visibility")}</th>
            <th scope="col" className={styles.wide}>{t("files.column.owner")}</th>
          </tr>
        </thead>
        {/* The keys walk from link to link, which each of them could do alone with more to press. */}
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
        <tbody ref={body} onKeyDown={(event) => walk(body.current, event)}>
          {folders.map((folder) => (
            <FolderRow key={folder} folder={folder} within={place.folder} />
          ))}
          {items.map((item) => (
            <FileRow key={item.id} item={item} isFar={place.show === "shared"} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function FolderRow({ folder, within }: { folder: string; within: string }) {
  return (
    <tr>
      <th scope="row">
        <Link to="/files" search={{ in: folder }} className={`${styles.link} ${styles.folder}`}>
          <IconFolderFilled aria-hidden size={20} />
          <span className={styles.name}>{folder.slice(within.length, -1) || t("files.unnamed")}</span>
        </Link>
      </th>
      <td className={styles.end} />
      <td className={styles.wide}>{t("files.kind.folder")}</td>
      <td />
      <td />
      <td className={styles.wide} />
    </tr>
  );
}

function FileRow({ item, isFar }: { item: FileItem; isFar: boolean }) {
  const names = useNames();
  const { icon: Picture, word } = kindOf(item.content_type);
  const kind = word ? t(word) : extensionOf(item.filename) || t("files.kind.other");
  const folder = folderOf(item.key);
  return (
    <tr>
      <th scope="row">
        <Link to="/files/$id" params={{ id: item.id }} className={styles.link}>
          <Picture aria-hidden size={20} stroke={1.5} />
          <span className={styles.name}>{nameOf(item.key) || item.filename}</span>
          {isFar && folder && <span className={styles.where}>{folder}</span>}
          <span className={styles.meta}>
            <span>{bytes(item.size)}</span>
            <Time at={item.updated_at} />
            <span>{names.ofOrYou(item.owner)}</span>
            <VisibilityWord visibility={item.visibility} />
          </span>
        </Link>
      </th>
      <td className={styles.end}>{bytes(item.size)}</td>
      <td className={styles.wide}>{kind}</td>
      <td>
        <Time at={item.updated_at} />
      </td>
      <td>
        <VisibilityWord visibility={item.visibility} />
      </td>
      <td className={styles.wide}>{names.ofOrYou(item.owner)}</td>
    </tr>
  );
}

/** Arrow keys move between rows. */
function walk(body: HTMLElement | null, event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !body) return;
  const links = [...body.querySelectorAll<HTMLElement>("th a")];
  const next = links[links.indexOf(event.target as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
