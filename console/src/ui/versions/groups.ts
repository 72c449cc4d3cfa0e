/** Groups versions: consecutive manual saves by one person within ten minutes; a named one begins a group. */

import type { Version } from "./queries";

const TOGETHER = 10 * 60_000;

/** Newest first; each group starts with its newest version. */
export function grouped(versions: readonly Version[]): [newest: Version, ...earlier: Version[]][] {
  const groups: [Version, ...Version[]][] = [];
  for (const version of versions) {
    const last = groups.at(-1);
    if (last && belongs(version, last[0])) last.push(version);
    else groups.push([version]);
  }
  return groups;
}

function belongs(version: Version, newest: Version): boolean {
  if (version.name !== null) return false;
  const isSameHand = version.author === newest.author && version.actor_kind === "human" && newest.actor_kind === "human";
  return isSameHand && Date.parse(newest.created_at) - Date.parse(version.created_at) <= TOGETHER;
}
