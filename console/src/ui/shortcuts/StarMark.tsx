/** Marks an item of a list that is a favourite. */

import { IconStarFilled } from "@tabler/icons-react";

import { t } from "@/i18n";

import styles from "./Star.module.css";

export function StarMark() {
  return <IconStarFilled size={13} className={styles.mark} role="img" aria-label={t("favourites.star")} />;
}
