/** What the caller may do with a thing of the repository: the server says so with the thing itself. */

import type { Permission } from "@/api/client";

export interface Rights {
  write: boolean;
  delete: boolean;
  manage: boolean;
}

export const ALL_RIGHTS: Rights = { write: true, delete: true, manage: true };

export function rightsOn({ permissions }: { permissions: readonly Permission[] }): Rights {
  const holds = (permission: Permission): boolean => permissions.includes(permission);
  return { write: holds("files:write"), delete: holds("files:delete"), manage: holds("files:manage") };
}
