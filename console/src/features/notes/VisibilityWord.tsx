/** Who sees a note, as a word with its picture. */

import { IconLock, IconUsers, IconUserShare, type Icon } from "@tabler/icons-react";

import { t } from "@/i18n";
import { Tag } from "@/ui/Tag";

import type { Visibility } from "./text";

export const PICTURES: Record<Visibility, Icon> = { private: IconLock, team: IconUsers, shared: IconUserShare };

export function VisibilityWord({ visibility }: { visibility: Visibility }) {
  const Picture = PICTURES[visibility];
  return (
    <Tag>
      <Picture aria-hidden size={12} />
      {t(`notes.visibility.${visibility}`)}
    </Tag>
  );
}
