/** A document in the list: title, access level, owner and time. */

import { Link } from "@tanstack/react-router";
import { memo } from "react";

import { t } from "@/i18n";
import { useNames } from "@/ui/names";
import list from "@/ui/panes/PaneList.module.css";
import { rowLink, type RowPlace } from "@/ui/panes/rows";
import { RowStar } from "@/ui/shortcuts/RowStar";
import { Time } from "@/ui/Time";
import { OF_ITEM } from "@/ui/versions/address";
import { VisibilityWord } from "@/ui/visibility/VisibilityWord";

import type { Address } from "../filters";
import type { DocumentItem } from "../text";
import styles from "./DocumentRow.module.css";

interface Props extends RowPlace {
  document: DocumentItem;
}

export const DocumentRow = memo(function DocumentRow({ document, ...place }: Props) {
  const names = useNames();
  return (
    <li className={list.row}>
      <Link to="/documents/$id" params={{ id: document.id }} search={(now: Address) => ({ ...now, ...OF_ITEM })} {...rowLink(place)}>
        <b className={list.name}>{document.title}</b>
        <span className={list.meta}>
          <VisibilityWord visibility={document.visibility} isPublic={document.has_public_link} />
          <span className={list.who}>{names.ofOrYou(document.owner)}</span>
          <Time at={document.updated_at} />
          <span className={styles.version}>{t("documents.version", { version: document.version })}</span>
        </span>
      </Link>
      <RowStar subject={{ kind: "document", id: document.id }} title={document.title} tabIndex={place.entry ? 0 : -1} />
    </li>
  );
});
