/** Link to a file or folder, and its icon. */

import { IconFolderFilled } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { kindOf } from "../kinds";
import type { Entry } from "./entries";
import styles from "./FileList.module.css";

interface Props {
  entry: Entry;
  className?: string;
  tabIndex: number;
  /** For a second link beside the name, which is enough for assistive technology. */
  hidden?: boolean;
  children: ReactNode;
}

/** Not draggable by itself: its row or tile is. */
export function EntryLink({ entry, className, tabIndex, hidden, children }: Props) {
  const shared = { className, tabIndex, draggable: false, "aria-hidden": hidden };
  if (entry.isFolder) return <Link to="/files" search={{ in: entry.key }} {...shared}>{children}</Link>;
  return <Link to="/files/$id" params={{ id: entry.id }} {...shared}>{children}</Link>;
}

export function EntryPicture({ entry, size }: { entry: Entry; size: number }) {
  if (entry.isFolder) return <IconFolderFilled aria-hidden size={size} className={styles.folder} />;
  const { icon: Picture } = kindOf(entry.item.content_type);
  return <Picture aria-hidden size={size} stroke={1.5} className={styles.picture} />;
}
