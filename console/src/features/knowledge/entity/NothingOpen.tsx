/** Placeholder while no entity is open, with keyboard shortcuts. */

import { IconTopologyStar3 } from "@tabler/icons-react";

import { t } from "@/i18n";
import { Empty } from "@/ui/states";

import { useAddress } from "../address";
import styles from "../Knowledge.module.css";
import { useEntities } from "../queries";

export function NothingOpen() {
  const { q, type } = useAddress();
  const entities = useEntities({ q, type });
  // An empty list has its own message.
  if (!entities.data || entities.data.length === 0) return null;
  return (
    <div className={styles.middle}>
      <Empty title={t("graph.nothing_open")} icon={IconTopologyStar3}>
        <p className={styles.lead}>{t("graph.nothing_open.words")}</p>
        <p className={styles.lead}>
          <kbd>↑</kbd> <kbd>↓</kbd> <kbd>Enter</kbd> {t("graph.nothing_open.walk")}
        </p>
      </Empty>
    </div>
  );
}
