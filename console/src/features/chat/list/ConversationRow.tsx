/** A conversation in the list: title, excerpt, whose it is, and when something last happened. */

import { IconUsers } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { memo } from "react";

import { t } from "@/i18n";
import { plain } from "@/ui/plain";
import { Time } from "@/ui/Time";

import type { ConversationItem } from "../api";
import { titleOf } from "../titles";
import styles from "./ConversationList.module.css";

interface Props {
  item: ConversationItem;
  /** Who shared it with the user; absent for the user's own. */
  owner?: string;
  open: boolean;
  /** The tab stop of the list; arrow keys move to the other rows. */
  entry: boolean;
}

export const ConversationRow = memo(function ConversationRow({ item, owner, open, entry }: Props) {
  return (
    <li className={styles.row}>
      <Link
        to="/chat/$id"
        params={{ id: item.id }}
        search={({ q }: { q?: string }) => ({ q })}
        className={styles.link}
        aria-current={open ? "true" : undefined}
        tabIndex={entry ? 0 : -1}
        data-row
      >
        <b>{titleOf(item)}</b>
        <span className={styles.excerpt}>{plain(item.excerpt)}</span>
        <span className={styles.meta}>
          <Time at={item.updated_at} />
          {(item.shared || owner) && (
            <span className={styles.mark}>
              <IconUsers aria-hidden size={13} />
              {owner ? t("chat.shared.by", { name: owner }) : t("chat.shared")}
            </span>
          )}
        </span>
      </Link>
    </li>
  );
});
