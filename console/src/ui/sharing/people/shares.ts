/** Sharing with single people, by permission: notes and conversations. */

import type { Schemas } from "@/api/client";

/** Permissions to share with; each includes those before it. */
export const LADDER = ["notes:read", "notes:write", "notes:delete", "notes:manage"] as const;
export type SharePermission = (typeof LADDER)[number];

export interface ShareRequest {
  user_id: string;
  /** Null removes the share. */
  permission: SharePermission | null;
}

export interface SharedThing {
  owner: string;
  shared_with: readonly Schemas["Grant"][];
}

/** The mutation that shares. */
export interface Sharing {
  isPending: boolean;
  mutate: (request: ShareRequest, options?: { onSuccess?: () => void }) => void;
}

/** The permissions on offer, with the words for each. */
export interface Steps {
  steps: readonly SharePermission[];
  wordsOf: (permission: SharePermission) => string;
}
