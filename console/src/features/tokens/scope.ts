/** Permissions as a person chooses them: in groups, and with the key prefix that a scope may have. */

import type { Permission } from "@/api/client";

export const GROUPS = [
  ["notes", ["notes:read", "notes:write", "notes:delete", "notes:manage"]],
  ["files", ["files:read", "files:write", "files:delete", "files:manage"]],
  ["find", ["search", "chat:use"]],
  ["workflows", ["workflows:read", "workflows:write", "workflows:run"]],
  ["team", ["members:manage", "settings:manage"]],
  ["company", ["org:read", "org:manage"]],
  ["languages", ["localization:read", "localization:translate", "localization:review", "localization:manage"]],
  ["instance", ["instance:manage"]],
] as const satisfies readonly (readonly [string, readonly Permission[]])[];

export type GroupName = (typeof GROUPS)[number][0];
const KNOWN: readonly Permission[] = [...GROUPS.flatMap(([, permissions]): readonly Permission[] => permissions), "jobs:execute"];

export interface ScopeEntry {
  permission?: Permission;
  /** `contracts/` in `files:read:contracts/`; empty when it is all of them. */
  prefix: string;
}

export function parseScope(entry: string): ScopeEntry {
  const permission = KNOWN.find((name) => entry === name || entry.startsWith(`${name}:`));
  return { permission, prefix: permission ? entry.slice(permission.length + 1) : entry };
}

/** What one may put into a token, in groups: one's own permissions, none of which a token could widen. */
export function offered(own: readonly Permission[]): [GroupName, Permission[]][] {
  return GROUPS.map(([group, permissions]): [GroupName, Permission[]] => [
    group,
    permissions.filter((permission) => own.includes(permission)),
  ]).filter(([, permissions]) => permissions.length > 0);
}
