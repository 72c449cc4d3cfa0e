/** Names of time zones, in the current locale. */

import { byName, currentLocale } from ".";

const lists = new Map<string, Zone[]>();

export interface Zone {
  id: string;
  name: string;
}

/** `Europe/Berlin (Central European Time)` */
export const zoneOf = (id: string): Zone => ({ id, name: `${zoneId(id)} (${nameOf(id)})` });

/** As people write it: `America/New York`. */
export const zoneId = (id: string): string => id.replaceAll("_", " ");

/** All that this browser knows. Naming them takes a moment, so it is done once. */
export function allZones(): Zone[] {
  const known = lists.get(currentLocale());
  if (known) return known;
  const zones = [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])].map(zoneOf).sort((one, other) => byName(one.id, other.id));
  lists.set(currentLocale(), zones);
  return zones;
}

/** The name for the whole year; a zone without one has that of the season. */
function nameOf(id: string): string {
  const generic = partOf(id, "longGeneric");
  return generic.startsWith("GMT") ? partOf(id, "long") : generic;
}

function partOf(id: string, timeZoneName: "longGeneric" | "long"): string {
  try {
    const parts = new Intl.DateTimeFormat(currentLocale(), { timeZone: id, timeZoneName }).formatToParts();
    return parts.find(({ type }) => type === "timeZoneName")?.value ?? id;
  } catch {
    return id; // newer than this browser
  }
}
