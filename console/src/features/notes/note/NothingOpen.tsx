/** Placeholder while no note is open, with keyboard shortcuts. */

import { IconNotes } from "@tabler/icons-react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Empty } from "@/ui/states";

import { useFilters } from "../filters";
import { useNotes } from "../queries";
import styles from "./NothingOpen.module.css";

export function NothingOpen() {
  const { can } = useSession();
  const notes = useNotes(useFilters());
  // An empty list has its own message.
  if (notes.data?.length === 0) return null;
  return (
    <div className={styles.middle}>
      <Empty title={t("notes.nothing_open")} icon={IconNotes}>
        <ul className={styles.keys}>
          <li>
            <kbd>↑</kbd> <kbd>↓</kbd> <kbd>Enter</kbd> {t("notes.nothing_open.walk")}
          </li>
          {can("notes:write") && (
            <li>
              <kbd>c</kbd> {t("notes.nothing_open.new")}
            </li>
          )}
        </ul>
      </Empty>
    </div>
  );
}
