/** Icons of result types. */

import { IconFile, IconMessageCircle, IconNotes, IconTopologyStar3, type Icon } from "@tabler/icons-react";

import type { Found } from "./queries";

export const PICTURES: Record<Found["type"], Icon> = {
  note: IconNotes,
  object: IconFile,
  entity: IconTopologyStar3,
  conversation: IconMessageCircle,
};
