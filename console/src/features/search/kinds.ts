/** Icons of results. */

import { IconFile, IconFileText, IconMessageCircle, IconNotes, IconTopologyStar3, type Icon } from "@tabler/icons-react";

import type { Kind } from "./address";

export const PICTURES: Record<Kind, Icon> = {
  note: IconNotes,
  document: IconFileText,
  file: IconFile,
  entity: IconTopologyStar3,
  conversation: IconMessageCircle,
};
