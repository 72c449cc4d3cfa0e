/** A note in the list: title, excerpt, access level, owner and time. */

import { Link } from "@tanstack/react-router";
import { memo } from "react";

import { plain } from "@/ui/plain";
import { Time } from "@/ui/Time";
import { VisibilityWord } from "@/ui/visibility/VisibilityWord";

import type { Address } from "../filters";
import type { NoteItem } from "../text";
import styles from "./NoteRow.module.css";

interface Props {
  note: NoteItem;
  owner: string;
  open: boolean;
  /** The tab stop of the list; arrow keys move to the other rows. */
  entry: boolean;
}

export const NoteRow = memo(function NoteRow({ note, owner, open, entry }: Props) {
  return (
    <li className={styles.row}>
      <Link
        to="/notes/$id"
        params={{ id: note.id }}
        search={(now: Address) => ({ ...now, edit: undefined })}
        className={styles.link}
        aria-current={open ? "true" : undefined}
        tabIndex={entry ? 0 : -1}
        data-row
      >
        <b>{note.title}</b>
        <span className={styles.excerpt}>{plain(note.excerpt)}</span>
        <span className={styles.meta}>
          <VisibilityWord visibility={note.visibility} />
          <span className={styles.who}>{owner}</span>
          <Time at={note.updated_at} />
          {note.tags.length > 0 && <span className={styles.tags}>{note.tags.map((tag) => `#${tag}`).join(" ")}</span>}
        </span>
      </Link>
    </li>
  );
});
