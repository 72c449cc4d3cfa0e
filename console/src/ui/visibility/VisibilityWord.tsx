/** Access level of an item, as icon and label. */

import { IconLock, IconUsers, IconUserShare, type Icon } from "@tabler/icons-react";

import { t } from "@/i18n";
import { Tag } from "@/ui/Tag";
import type { Visibility } from "@/ui/writing/text";

export const VISIBILITIES = ["private", "team", "shared"] as const satisfies readonly Visibility[];

export const PICTURES: Record<Visibility, Icon> = { private: IconLock, team: IconUsers, shared: IconUserShare };

export function VisibilityWord({ visibility }: { visibility: Visibility }) {
  const Picture = PICTURES[visibility];
  return (
    <Tag>
      <Picture aria-hidden size={12} />
      {t(`visibility.${visibility}`)}
    </Tag>
  );
}
