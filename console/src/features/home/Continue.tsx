/** Where you left off: what you opened last. */

import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { useRecents } from "@/ui/shortcuts/queries";
import { addressOf, PICTURES } from "@/ui/shortcuts/shortcuts";
import { Time } from "@/ui/Time";

import styles from "./HomeScreen.module.css";
import { Part } from "./Part";

const SHOWN = 6;

export function Continue() {
  const recents = useRecents().data?.slice(0, SHOWN) ?? [];
  if (recents.length === 0) return null;
  return (
    <Part title={t("home.continue")}>
      <ul className={styles.tiles}>
        {recents.map((item) => {
          const Picture = PICTURES[item.kind];
          return (
            <li key={`${item.kind} ${item.id}`}>
              <Link to={addressOf(item)} className={styles.tile}>
                <Picture aria-hidden size={18} stroke={1.6} />
                <span>
                  <b>{item.title || t("writing.untitled")}</b>
                  <span className="muted">
                    {t(`favourites.kind.${item.kind}`)} · <Time at={item.at} />
                  </span>
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </Part>
  );
}
