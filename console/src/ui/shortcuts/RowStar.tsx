/** The star of an item in a list; of an item that has none, where the pointer or the focus is. */

import { IconStar, IconStarFilled } from "@tabler/icons-react";

import { t } from "@/i18n";

import { useIsStarred, useStar } from "./queries";
import type { Subject } from "./shortcuts";
import styles from "./RowStar.module.css";

interface Props {
  subject: Subject;
  title: string;
  /** Only the row that has the list's tab stop has a second one. */
  tabIndex: number;
}

export function RowStar({ subject, title, tabIndex }: Props) {
  const starred = useIsStarred(subject);
  const star = useStar(subject, title);
  const Picture = starred ? IconStarFilled : IconStar;
  return (
    <button
      type="button"
      className={styles.star}
      tabIndex={tabIndex}
      aria-label={t("favourites.star_of", { title })}
      aria-pressed={starred}
      title={starred ? t("favourites.remove") : t("favourites.add")}
      onClick={() => star.mutate(!starred)}
    >
      <Picture aria-hidden size={15} />
    </button>
  );
}
