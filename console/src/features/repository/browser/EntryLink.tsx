/** Link to a file or folder, and its icon. */

import { IconFolderFilled } from "@tabler/icons-react";
import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";

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

/** Not draggable by itself: its row or tile is. A router's `Link` watches every address, in each row of a list. */
export function EntryLink({ entry, className, tabIndex, hidden, children }: Props) {
  const router = useRouter();
  const to = addressOf(entry);
  const open = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void router.navigate(to);
  };
  return (
    <a href={hrefOf(entry, router.basepath)} className={className} tabIndex={tabIndex} draggable={false} aria-hidden={hidden} onClick={open}>
      {children}
    </a>
  );
}

const addressOf = (entry: Entry) =>
  entry.isFolder ? ({ to: "/files", search: { in: entry.key } } as const) : ({ to: "/files/$id", params: { id: entry.id } } as const);

const hrefOf = (entry: Entry, base: string): string => `${base}/files${entry.isFolder ? `?in=${encodeURIComponent(entry.key)}` : `/${entry.id}`}`;

export function EntryPicture({ entry, size }: { entry: Entry; size: number }) {
  if (entry.isFolder) return <IconFolderFilled aria-hidden size={size} className={styles.folder} />;
  const { icon: Picture } = kindOf(entry.item.content_type);
  return <Picture aria-hidden size={size} stroke={1.5} className={styles.picture} />;
}
