/** Marks an item of a list that is a favourite. */

import { IconStarFilled } from "@tabler/icons-react";

import { t } from "@/i18n";

import { useIsStarred } from "./queries";
import type { Subject } from "./shortcuts";
import styles from "./Star.module.css";

export function Starred({ subject }: { subject: Subject }) {
  if (!useIsStarred(subject)) return null;
  return <IconStarFilled size={13} className={styles.mark} role="img" aria-label={t("favourites.star")} />;
}
