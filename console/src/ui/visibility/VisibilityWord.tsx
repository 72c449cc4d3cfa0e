/** Access level of an item, as icon and label, and whether it has a public link. */

import { IconLock, IconUsers, IconUserShare, IconWorld, type Icon } from "@tabler/icons-react";

import { t } from "@/i18n";
import { Tag } from "@/ui/Tag";
import type { Visibility } from "@/ui/writing/text";

import styles from "./VisibilityWord.module.css";

export const VISIBILITIES = ["private", "team", "shared"] as const satisfies readonly Visibility[];

export const PICTURES: Record<Visibility, Icon> = { private: IconLock, team: IconUsers, shared: IconUserShare };

interface Props {
  visibility: Visibility;
  isPublic?: boolean;
}

export function VisibilityWord({ visibility, isPublic }: Props) {
  const Picture = PICTURES[visibility];
  const word = (
    <Tag>
      <Picture aria-hidden size={12} />
      {t(`visibility.${visibility}`)}
    </Tag>
  );
  if (!isPublic) return word;
  return (
    <span className={styles.pair}>
      {word}
      <PublicMark />
    </span>
  );
}

/** Anyone with an address can open it. */
export function PublicMark() {
  return (
    <span className={styles.mark} title={t("visibility.public")}>
      <IconWorld role="img" aria-label={t("visibility.public")} size={14} />
    </span>
  );
}
