/** What others shared with you or with your team, newest share first. */

import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { useNames } from "@/ui/names";
import { addressOf, PICTURES } from "@/ui/shortcuts/shortcuts";
import { Time } from "@/ui/Time";

import styles from "./Activity.module.css";
import { More, Part } from "./Part";
import { useShared } from "./queries";

export function SharedWithYou() {
  const shared = useShared();
  const names = useNames();
  const items = shared.items;
  if (items.length === 0) return null;
  return (
    <Part title={t("home.shared")}>
      <ul className={styles.list}>
        {items.map((item) => {
          const Picture = PICTURES[item.kind];
          return (
            <li key={`${item.kind} ${item.id}`}>
              <Link to={addressOf(item)} className={styles.line}>
                <span className={styles.kind} title={t(`favourites.kind.${item.kind}`)}>
                  <Picture role="img" aria-label={t(`favourites.kind.${item.kind}`)} size={17} stroke={1.6} />
                </span>
                <span className={styles.words}>
                  <b>{item.title || t("writing.untitled")}</b>
                  <span className="muted">{t("home.activity.shared", { name: names.of(item.shared_by) })}</span>
                </span>
                <Time at={item.shared_at} />
              </Link>
            </li>
          );
        })}
      </ul>
      <More pages={shared} />
    </Part>
  );
}
