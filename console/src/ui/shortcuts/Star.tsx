/** Stars an item: it is then among the favourites in the sidebar. */

import { ActionIcon, Tooltip } from "@mantine/core";
import { IconStar, IconStarFilled } from "@tabler/icons-react";

import { t } from "@/i18n";

import { useFavourites, useIsStarred, useStar } from "./queries";
import type { Subject } from "./shortcuts";
import styles from "./Star.module.css";

export function Star({ subject, title }: { subject: Subject; title: string }) {
  const favourites = useFavourites();
  const star = useStar(subject, title);
  const starred = useIsStarred(subject);
  const Picture = starred ? IconStarFilled : IconStar;
  return (
    <Tooltip label={starred ? t("favourites.remove") : t("favourites.add")} openDelay={300}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={28}
        className={styles.star}
        aria-label={t("favourites.star")}
        aria-pressed={starred}
        disabled={favourites.isPending}
        onClick={() => star.mutate(!starred)}
      >
        <Picture aria-hidden size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
