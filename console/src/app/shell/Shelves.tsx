/** Favourites and recents, below the places of the rail. */

import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { useFavourites, useRecents } from "@/ui/shortcuts/queries";
import { addressOf, isSame, PICTURES, type Shortcut } from "@/ui/shortcuts/shortcuts";

import link from "./NavLink.module.css";
import styles from "./Rail.module.css";

const SHOWN = { favourites: 12, recents: 6 };

export function Shelves() {
  const favourites = useFavourites().data ?? [];
  const recents = useRecents().data?.filter((item) => !favourites.some((other) => isSame(item, other))) ?? [];
  return (
    <div className={styles.shelves}>
      <Shelf title={t("favourites.title")} items={favourites.slice(0, SHOWN.favourites)} />
      <Shelf title={t("favourites.recents")} items={recents.slice(0, SHOWN.recents)} />
    </div>
  );
}

function Shelf({ title, items }: { title: string; items: readonly Shortcut[] }) {
  if (items.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className={styles.shelf}>{title}</h2>
      <ul className={styles.links}>
        {items.map((item) => {
          const Picture = PICTURES[item.kind];
          return (
            <li key={`${item.kind} ${item.id}`}>
              <Link to={addressOf(item)} className={link.link} title={item.title} activeProps={{ "aria-current": "page" }} activeOptions={{ exact: true, includeSearch: false }}>
                <Picture aria-hidden size={16} stroke={1.6} />
                <span className={link.title}>{item.title || t("writing.untitled")}</span>
              </Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
