/** A note in the list: title, excerpt, access level, owner and time. */

import { Link } from "@tanstack/react-router";
import { memo } from "react";

import list from "@/ui/panes/PaneList.module.css";
import { rowLink, type RowPlace } from "@/ui/panes/rows";
import { plain } from "@/ui/plain";
import { RowStar } from "@/ui/shortcuts/RowStar";
import { Time } from "@/ui/Time";
import { VisibilityWord } from "@/ui/visibility/VisibilityWord";

import type { Address } from "../filters";
import type { NoteItem } from "../text";
import styles from "./NoteRow.module.css";

interface Props extends RowPlace {
  note: NoteItem;
  owner: string;
}

export const NoteRow = memo(function NoteRow({ note, owner, ...place }: Props) {
  return (
    <li className={list.row}>
      <Link to="/notes/$id" params={{ id: note.id }} search={(now: Address) => ({ ...now, edit: undefined })} {...rowLink(place)}>
        <b className={list.name}>{note.title}</b>
        <bdi className={list.excerpt}>{plain(note.excerpt)}</bdi>
        <span className={list.meta}>
          <VisibilityWord visibility={note.visibility} />
          <span className={list.who}>{owner}</span>
          <Time at={note.updated_at} />
          {note.tags.length > 0 && <bdi className={styles.tags}>{note.tags.map((tag) => `#${tag}`).join(" ")}</bdi>}
        </span>
      </Link>
      <RowStar subject={{ kind: "note", id: note.id }} title={note.title} tabIndex={place.entry ? 0 : -1} />
    </li>
  );
});
