/** What can be shared: for each kind of thing, its access levels and the API calls behind them. */

import { answer, api, type Schemas } from "@/api/client";

export type Principal = Pick<Schemas["ShareTarget"], "principal_type" | "principal_id">;
export type Capability = Schemas["ObjectGrant"]["capability"];
export const LADDER = ["notes:read", "notes:write", "notes:delete", "notes:manage"] as const;
/** Each includes those before it. Conversations are shared with them too. */
export type SharePermission = (typeof LADDER)[number];

export interface Grant<Level = Capability> extends Principal {
  name: string;
  capability: Level;
  expires_at: string | null;
  expired: boolean;
}

export type Reason<Level = Capability> = Omit<Schemas["ObjectAccessReason"], "capability"> & { capability: Level };
export type Reader<Level = Capability> = Omit<Schemas["ObjectReader"], "reasons"> & { reasons: readonly Reason<Level>[] };

export interface Sharing<Level> {
  grants: readonly Grant<Level>[];
  readers: readonly Reader<Level>[];
  next?: string;
}

export interface ShareRequest<Level = Capability> extends Principal {
  /** Null removes the share. */
  capability: Level | null;
  expires_at: string | null;
}

export interface Query {
  effective?: "1";
  cursor?: string;
  limit?: number;
}

type Word = "view" | "edit" | "delete" | "manage" | "continue";

export interface SharingKind<Level extends string = Capability> {
  /** What can be granted. */
  levels: readonly Level[];
  words: Readonly<Record<Level, Word>>;
  /** Whether it can be opened by a public link. */
  hasLinks: boolean;
  fetch: (id: string, query: Query) => Promise<Sharing<Level>>;
  share: (id: string, request: ShareRequest<Level>) => Promise<unknown>;
}

export const FILE_SHARING: SharingKind = {
  levels: ["view", "edit", "manage"],
  words: { view: "view", edit: "edit", manage: "manage" },
  hasLinks: true,
  fetch: async (id, query) => {
    const found = await answer(api.GET("/api/repo-obj/{id}/grants", { params: { path: { id }, query } }));
    return { grants: found.items, readers: found.effective ?? [], next: found.next_cursor ?? undefined };
  },
  share: (id, { capability, expires_at, ...principal }) => {
    const params = { path: { id } };
    if (capability === null) return answer(api.POST("/api/repo-obj/{id}/unshare", { params, body: principal }));
    return answer(api.POST("/api/repo-obj/{id}/share", { params, body: { ...principal, capability, expires_at } }));
  },
};

export const NOTE_SHARING: SharingKind<SharePermission> = {
  levels: LADDER,
  words: { "notes:read": "view", "notes:write": "edit", "notes:delete": "delete", "notes:manage": "manage" },
  hasLinks: false,
  fetch: async (id, query) => withLevels(await answer(api.GET("/api/notes/{id}/grants", { params: { path: { id }, query } }))),
  share: (id, request) => answer(api.POST("/api/notes/{id}/share", { params: { path: { id } }, body: withPermission(request) })),
};

export const CONVERSATION_SHARING: SharingKind<SharePermission> = {
  levels: ["notes:read", "notes:write"],
  words: { ...NOTE_SHARING.words, "notes:write": "continue" },
  hasLinks: false,
  fetch: async (id, query) => withLevels(await answer(api.GET("/api/conversations/{id}/grants", { params: { path: { id }, query } }))),
  share: (id, request) => answer(api.POST("/api/conversations/{id}/share", { params: { path: { id } }, body: withPermission(request) })),
};

/** Notes and conversations are granted by permissions, of which these are all that the server grants. */
function withLevels({ items, effective, next_cursor }: Schemas["GrantListing"]): Sharing<SharePermission> {
  return {
    grants: items.map(({ permission, ...grant }) => ({ ...grant, capability: permission as SharePermission })),
    readers: (effective ?? []).map((reader) => ({
      ...reader, reasons: reader.reasons.map(({ permission, ...reason }) => ({ ...reason, capability: permission as SharePermission })),
    })),
    next: next_cursor ?? undefined,
  };
}

const withPermission = ({ capability, ...request }: ShareRequest<SharePermission>): Schemas["ShareRequest"] => ({ ...request, permission: capability });
