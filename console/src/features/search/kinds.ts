/** The pictures of what can be found. */

import { IconFile, IconNotes, IconTopologyStar3, type Icon } from "@tabler/icons-react";

import type { Found } from "./queries";

export const PICTURES: Record<Found["type"], Icon> = { note: IconNotes, object: IconFile, entity: IconTopologyStar3 };
