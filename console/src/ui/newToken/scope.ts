/** Permissions to choose from for a token, in groups. */

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

/** Your own permissions, in groups: a token can’t have others. */
export function offered(own: readonly Permission[]): [GroupName, Permission[]][] {
  return GROUPS.map(([group, permissions]): [GroupName, Permission[]] => [
    group,
    permissions.filter((permission) => own.includes(permission)),
  ]).filter(([, permissions]) => permissions.length > 0);
}
