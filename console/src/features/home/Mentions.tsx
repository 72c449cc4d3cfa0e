/** Texts that mention you. */

import { IconAt } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { useNames } from "@/ui/names";
import { Time } from "@/ui/Time";

import styles from "./HomeScreen.module.css";
import { More, Part } from "./Part";
import { useMentions } from "./queries";

export function Mentions() {
  const names = useNames();
  const mentions = useMentions();
  const items = (mentions.data?.pages ?? []).flatMap((page) => page.items);
  if (items.length === 0) return null;
  return (
    <Part title={t("home.mentions")}>
      <ul className={styles.files}>
        {items.map(({ kind, id, title, author, created_at: at }) => (
          <li key={`${kind} ${id}`}>
            <Link to={kind === "note" ? "/notes/$id" : "/documents/$id"} params={{ id }} className={styles.file}>
              <IconAt aria-hidden size={17} stroke={1.6} />
              <b>{title}</b>
              <span className={styles.who}>{names.ofOrYou(author)}</span>
              <Time at={at} />
            </Link>
          </li>
        ))}
      </ul>
      <More pages={mentions} />
    </Part>
  );
}
