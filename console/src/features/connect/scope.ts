/** Scope of an S3 key: as chosen, as sent to the server, and in words. */

import type { Permission } from "@/api/client";
import { currentLocale, t } from "@/i18n";
import { parseScope, permissionName } from "@/ui/permissions";

export type Reach = "all" | "read" | "write";

const NEEDS: Record<Reach, readonly Permission[]> = { all: [], read: ["files:read"], write: ["files:read", "files:write"] };

export interface Limits {
  reach: Reach;
  /** Folder limit; empty for all. */
  folder: string;
  /** Whether uploads can start workflows. */
  starts: boolean;
}

/** A key can't have permissions that its owner doesn't have. */
export function reachesOf(can: (permission: Permission) => boolean): Reach[] {
  return (Object.keys(NEEDS) as Reach[]).filter((reach) => NEEDS[reach].every(can));
}

export function scopeOf({ reach, folder, starts }: Limits): string[] | null {
  if (reach === "all") return null;
  const prefix = prefixOf(folder);
  const permissions = [...NEEDS[reach], ...(reach === "write" && starts ? ["workflows:run"] : [])];
  return permissions.map((permission) => (prefix ? `${permission}:${prefix}` : permission));
}

/** Keys don't start with a slash; a folder prefix ends with one. */
function prefixOf(folder: string): string {
  const name = folder.trim().replace(/^\/+|\/+$/g, "");
  return name && `${name}/`;
}

/** Permissions with a short name in lists. */
const SHORT = ["files:read", "files:write", "files:delete", "files:manage", "workflows:run"] as const;

/** One line per folder. */
export function wordsOf(scope: readonly string[] | null): string[] {
  if (scope === null) return [t("connect.may.all")];
  const byFolder = new Map<string, string[]>();
  for (const entry of scope) {
    const { permission, prefix } = parseScope(entry);
    const folder = permission ? prefix : "";
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), permission ? shortName(permission) : entry]);
  }
  const list = new Intl.ListFormat(currentLocale(), { type: "conjunction" });
  return [...byFolder].map(([folder, names]) => {
    const what = list.format(names);
    return folder ? t("connect.may.below", { what, folder }) : what;
  });
}

function shortName(permission: Permission): string {
  const short = SHORT.find((name) => name === permission);
  return short ? t(`connect.may.${short}`) : permissionName(permission);
}
