/** Stars an item from its menu. */

import { Menu } from "@mantine/core";
import { IconStar, IconStarOff } from "@tabler/icons-react";

import { t } from "@/i18n";

import { useIsStarred, useStar } from "./queries";
import type { Subject } from "./shortcuts";

export function StarItem({ subject, title }: { subject: Subject; title: string }) {
  const starred = useIsStarred(subject);
  const star = useStar(subject, title);
  const Picture = starred ? IconStarOff : IconStar;
  return (
    <Menu.Item leftSection={<Picture aria-hidden size={15} />} onClick={() => star.mutate(!starred)}>
      {starred ? t("favourites.remove") : t("favourites.add")}
    </Menu.Item>
  );
}
