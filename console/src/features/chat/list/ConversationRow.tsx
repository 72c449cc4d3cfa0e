/** A conversation in the list: title, excerpt, when something last happened, whose it is, and its star. */

import { IconUsers } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { memo } from "react";

import { t } from "@/i18n";
import list from "@/ui/panes/PaneList.module.css";
import { rowLink, type RowPlace } from "@/ui/panes/rows";
import { plain } from "@/ui/plain";
import { RowStar } from "@/ui/shortcuts/RowStar";
import { Time } from "@/ui/Time";

import type { ConversationItem } from "../api";
import { titleOf } from "../titles";
import styles from "./ConversationRow.module.css";

interface Props extends RowPlace {
  item: ConversationItem;
  /** Who shared it with the user; absent for the user's own. */
  owner?: string;
}

export const ConversationRow = memo(function ConversationRow({ item, owner, ...place }: Props) {
  return (
    <li className={list.row}>
      <Link to="/chat/$id" params={{ id: item.id }} search={({ q }: { q?: string }) => ({ q })} {...rowLink(place)}>
        <b className={list.name}>{titleOf(item)}</b>
        <bdi className={list.excerpt}>{plain(item.excerpt)}</bdi>
        <span className={list.meta}>
          <Time at={item.updated_at} />
          {(item.shared || owner) && (
            <span className={styles.shared}>
              <IconUsers aria-hidden size={13} />
              {owner ? t("chat.shared.by", { name: owner }) : t("chat.shared")}
            </span>
          )}
        </span>
      </Link>
      <RowStar subject={{ kind: "conversation", id: item.id }} title={titleOf(item)} tabIndex={place.entry ? 0 : -1} />
    </li>
  );
});
