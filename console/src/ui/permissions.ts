/** Names of permissions; their codes are for the API. */

import type { Permission, Problem } from "@/api/client";
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

const MISSING_PERMISSION = ["rights.needs", "rights.needs_company_role", "rights.needs_operator"];

/** The permission that a refusal says is missing. */
export function permissionIn({ key, params }: Partial<Problem>): Permission | undefined {
  return MISSING_PERMISSION.includes(key ?? "") ? PERMISSIONS.find((name) => name === params?.permission) : undefined;
}

export const permissionName = (permission: Permission): string => t(`permission.${permission}`);

/** Who can grant the permission: team admins, company admins or operators. */
export function grantedBy(permission: Permission): "team" | "org" | "instance" {
  if (permission.startsWith("org:")) return "org";
  return permission.startsWith("instance:") ? "instance" : "team";
}
