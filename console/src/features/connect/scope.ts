/** What a key may do: as a person chooses it, as the server keeps it, and in words. */

import type { Permission } from "@/api/client";
import { currentLocale, t } from "@/i18n";

export type Reach = "all" | "read" | "write";

const NEEDS: Record<Reach, readonly Permission[]> = { all: [], read: ["files:read"], write: ["files:read", "files:write"] };

export interface Limits {
  reach: Reach;
  /** Only below it; everywhere when empty. */
  folder: string;
  /** Whether what is uploaded may start workflows. */
  starts: boolean;
}

/** Nobody gives what they do not have. */
export function reachesOf(can: (permission: Permission) => boolean): Reach[] {
  return (Object.keys(NEEDS) as Reach[]).filter((reach) => NEEDS[reach].every(can));
}

export function scopeOf({ reach, folder, starts }: Limits): string[] | null {
  if (reach === "all") return null;
  const prefix = prefixOf(folder);
  const permissions = [...NEEDS[reach], ...(reach === "write" && starts ? ["workflows:run"] : [])];
  return permissions.map((permission) => (prefix ? `${permission}:${prefix}` : permission));
}

/** Keys begin with no slash, and only one at its end makes a folder of a beginning. */
function prefixOf(folder: string): string {
  const name = folder.trim().replace(/^\/+|\/+$/g, "");
  return name && `${name}/`;
}

const DEEDS = ["files:read", "files:write", "files:delete", "files:manage", "workflows:run"] as const;

/** A line for every folder that it names. */
export function wordsOf(scope: readonly string[] | null): string[] {
  if (scope === null) return [t("connect.may.all")];
  const byFolder = new Map<string, string[]>();
  for (const entry of scope) {
    const [deed, folder] = parsed(entry);
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), deed]);
  }
  const list = new Intl.ListFormat(currentLocale(), { type: "conjunction" });
  return [...byFolder].map(([folder, deeds]) => {
    const what = list.format(deeds);
    return folder ? t("connect.may.below", { what, folder }) : what;
  });
}

/** What has no words is named. */
function parsed(entry: string): [deed: string, folder: string] {
  const deed = DEEDS.find((name) => entry === name || entry.startsWith(`${name}:`));
  return deed ? [t(`connect.may.${deed}`), entry.slice(deed.length + 1)] : [entry, ""];
}
