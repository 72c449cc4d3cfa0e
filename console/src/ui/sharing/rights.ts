/** What the user can do with a file or document, as the server reports it. */

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
