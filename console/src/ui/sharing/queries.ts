/** Shares of files and documents, and whom they can be shared with. */

import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { byName } from "@/i18n";

export type Grant = Schemas["Grants"]["items"][number];
export type Reader = Schemas["ObjectReader"];
export type Reason = Reader["reasons"][number];
export type Target = Schemas["ShareTarget"];
export type Capability = Grant["capability"];

export const CAPABILITIES = ["view", "edit", "manage"] as const satisfies readonly Capability[];

const grants = (id: string) => ["sharing", id, "grants"] as const;
const readers = (id: string) => ["sharing", id, "readers"] as const;

/** Current shares; always refetched, since shares expire. */
export function useGrants(id: string) {
  return useQuery({
    queryKey: grants(id),
    queryFn: async () => (await answer(api.GET("/api/repo-obj/{id}/grants", { params: { path: { id } } }))).items,
    staleTime: 0,
  });
}

/** Everyone with access, and why; changes with shares and access level. */
export function useReaders(id: string, visibility: string) {
  return useInfiniteQuery({
    queryKey: [...readers(id), visibility],
    queryFn: ({ pageParam }) =>
      answer(api.GET("/api/repo-obj/{id}/grants", { params: { path: { id }, query: { effective: "1", cursor: pageParam, limit: 50 } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: ({ pages }) => pages.flatMap((page) => page.effective ?? []),
    staleTime: 0,
  });
}

export function useTargets(q: string) {
  return useQuery({
    queryKey: ["sharing", "targets", q],
    queryFn: async () => {
      const { items } = await answer(api.GET("/api/share-targets", { params: { query: { q } } }));
      return items.sort((one, other) => byName(one.name, other.name));
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}

export interface ShareRequest {
  principal_type: Target["principal_type"];
  principal_id: string;
  /** Null removes the share. */
  capability: Capability | null;
  expires_at: string | null;
}

export function useShare(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ capability, expires_at, ...principal }: ShareRequest) => {
      const params = { path: { id } };
      if (capability === null) return answer(api.POST("/api/repo-obj/{id}/unshare", { params, body: principal }));
      return answer(api.POST("/api/repo-obj/{id}/share", { params, body: { ...principal, capability, expires_at } }));
    },
    onSuccess: (now) => {
      client.setQueryData(grants(id), now.items);
      return client.invalidateQueries({ queryKey: readers(id) });
    },
  });
}
