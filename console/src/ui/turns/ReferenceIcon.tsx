/** What kind of thing goes with a prompt. */

import { IconFile, IconNotes, IconTopologyStar3, type Icon } from "@tabler/icons-react";

import type { ReferenceType } from "./shapes";

const ICONS: Record<ReferenceType, Icon> = { note: IconNotes, object: IconFile, entity: IconTopologyStar3 };

export function ReferenceIcon({ type, size }: { type: ReferenceType; size: number }) {
  const Picture = ICONS[type];
  return <Picture aria-hidden size={size} />;
}
