/** Types of entities, with their icons. */

import {
  IconBuilding, IconBulb, IconCalendarEvent, IconCircleDashed, IconFileText, IconMapPin, IconPackage, IconUser, type Icon,
} from "@tabler/icons-react"; // prettier-ignore

export const TYPES = ["person", "organisation", "place", "product", "event", "concept", "document", "other"] as const;
export type EntityType = (typeof TYPES)[number];

export const PICTURES: Record<EntityType, Icon> = {
  person: IconUser,
  organisation: IconBuilding,
  place: IconMapPin,
  product: IconPackage,
  event: IconCalendarEvent,
  concept: IconBulb,
  document: IconFileText,
  other: IconCircleDashed,
};
