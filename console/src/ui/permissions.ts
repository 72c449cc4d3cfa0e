/** Names of permissions; their codes are for the API. */

import type { Permission } from "@/api/client";
import { t } from "@/i18n";

const PERMISSIONS = [
  "notes:read", "notes:write", "notes:delete", "notes:manage",
  "files:read", "files:write", "files:delete", "files:manage",
  "search", "chat:use",
  "workflows:read", "workflows:write", "workflows:run",
  "members:manage", "settings:manage",
  "org:read", "org:manage",
  "localization:read", "localization:translate", "localization:review", "localization:manage",
  "instance:manage", "jobs:execute",
] as const satisfies readonly Permission[]; // prettier-ignore

export interface ScopeEntry {
  permission?: Permission;
  /** `contracts/` in `files:read:contracts/`; empty for all folders. */
  prefix: string;
}

export function parseScope(entry: string): ScopeEntry {
  const permission = PERMISSIONS.find((name) => entry === name || entry.startsWith(`${name}:`));
  return { permission, prefix: permission ? entry.slice(permission.length + 1) : entry };
}

/** The permission whose code an API error message names. */
export function permissionIn(message: string): Permission | undefined {
  const code = /\bneeds ([a-z]+(?::[a-z]+)?)(?=[.,]|: |$)/.exec(message)?.[1];
  return PERMISSIONS.find((name) => name === code);
}

export const permissionName = (permission: Permission): string => t(`permission.${permission}`);

/** Who can grant the permission: team admins, company admins or operators. */
export function grantedBy(permission: Permission): "team" | "org" | "instance" {
  if (permission.startsWith("org:")) return "org";
  return permission.startsWith("instance:") ? "instance" : "team";
}
