/** A document in the list: title, access level, owner and time. */

import { Link } from "@tanstack/react-router";
import { memo } from "react";

import { t } from "@/i18n";
import { useNames } from "@/ui/names";
import { Time } from "@/ui/Time";
import { VisibilityWord } from "@/ui/visibility/VisibilityWord";

import type { Address } from "../filters";
import type { DocumentItem } from "../text";
import styles from "./DocumentList.module.css";

interface Props {
  document: DocumentItem;
  open: boolean;
  /** The tab stop of the list; arrow keys move to the other rows. */
  entry: boolean;
}

export const DocumentRow = memo(function DocumentRow({ document, open, entry }: Props) {
  const names = useNames();
  return (
    <li className={styles.row}>
      <Link
        to="/documents/$id"
        params={{ id: document.id }}
        search={(now: Address) => ({ ...now, edit: undefined })}
        className={styles.link}
        aria-current={open ? "true" : undefined}
        tabIndex={entry ? 0 : -1}
        data-row
      >
        <b>{document.title}</b>
        <span className={styles.meta}>
          <VisibilityWord visibility={document.visibility} />
          <span className={styles.who}>{names.ofOrYou(document.owner)}</span>
          <Time at={document.updated_at} />
          <span className={styles.version}>{t("documents.version", { version: document.version })}</span>
        </span>
      </Link>
    </li>
  );
});
