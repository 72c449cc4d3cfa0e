/** Shares of an item, who can see it, and whom it can be shared with. */

import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { byName } from "@/i18n";

import { sharingOf } from "./keys";
import type { ShareRequest, SharingKind } from "./kinds";

export type Target = Schemas["ShareTarget"];

const PAGE = 50;

/** Current shares; always refetched, since shares expire. */
export function useGrants<Level extends string>(kind: SharingKind<Level>, id: string) {
  return useQuery({
    queryKey: [...sharingOf(id), "grants"],
    queryFn: async () => (await kind.fetch(id, {})).grants,
    staleTime: 0,
  });
}

/** Everyone with access, and why; changes with shares and access level. */
export function useReaders<Level extends string>(kind: SharingKind<Level>, id: string, visibility?: string) {
  return useInfiniteQuery({
    queryKey: [...sharingOf(id), "readers", visibility],
    queryFn: ({ pageParam }) => kind.fetch(id, { effective: "1", cursor: pageParam, limit: PAGE }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
    select: ({ pages }) => pages.flatMap((page) => page.readers),
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

/** `onShared` refetches the item itself, which may name those it's shared with. */
export function useShare<Level extends string>(kind: SharingKind<Level>, id: string, onShared?: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (request: ShareRequest<Level>) => kind.share(id, request),
    onSuccess: () => {
      onShared?.();
      return client.invalidateQueries({ queryKey: sharingOf(id) });
    },
  });
}

/** The mutation that shares: one item, or several. */
export interface Sharer<Level extends string> {
  isPending: boolean;
  mutate: (request: ShareRequest<Level>, options?: { onSuccess?: () => void }) => void;
}
