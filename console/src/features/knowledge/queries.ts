/** API queries for entities. */

import { keepPreviousData, skipToken, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { useEndless } from "@/ui/endless";
import { fetchFileText } from "@/ui/passage/queries";

import type { Address } from "./address";
import { getEntity, listEntities, mergeEntity, previewExtraction, splitEntity, startExtraction, type Entity, type EntityItem, type Quote } from "./api";
import { CHOICES, ENTITIES, ESTIMATE, LISTS, one } from "./keys";

export function useEntities({ q, type }: Pick<Address, "q" | "type">) {
  return useEndless<EntityItem>([...LISTS, q, type], (cursor) => listEntities({ q, type, cursor }));
}

/** An entity with what all loaded pages of documents say about it. */
export function useEntity(id: string) {
  return useInfiniteQuery({
    queryKey: one(id),
    queryFn: ({ pageParam }) => getEntity(id, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: ({ pages }) => joined(pages),
  });
}

export function joined(pages: readonly Entity[]): Entity | undefined {
  const newest = pages[0];
  return newest && {
    ...newest,
    timeline: pages.flatMap(({ timeline }) => timeline),
    mentions: pages.flatMap(({ mentions }) => mentions),
    relations: pages.flatMap(({ relations }) => relations),
  };
}

const FEW = 20;

/** Entities to choose from, as you type. */
export function useChoices(q: string) {
  return useQuery({
    queryKey: [...CHOICES, q],
    queryFn: async () => (await listEntities({ q: q || undefined, limit: FEW })).items,
    placeholderData: keepPreviousData,
  });
}

/** The text of the version that a quote is from. */
export function useQuotedText(quote: Quote | undefined) {
  return useQuery({
    queryKey: ["source", "quote", quote?.object_id, quote?.version],
    queryFn: quote ? () => fetchFileText(quote.object_id, quote.version) : skipToken,
  });
}

export function useMerge(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (into: string) => mergeEntity(id, into),
    onSuccess: () => client.invalidateQueries({ queryKey: ENTITIES }),
  });
}

export function useSplit(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ mentions, name }: { mentions: string[]; name: string }) => splitEntity(id, mentions, name),
    onSuccess: () => client.invalidateQueries({ queryKey: ENTITIES }),
  });
}

/** What reading all documents that weren't read yet would cost. */
export function useEstimate() {
  return useQuery({ queryKey: ESTIMATE, queryFn: previewExtraction, staleTime: 0, gcTime: 0 });
}

export function useExtract() {
  return useMutation({ mutationFn: startExtraction });
}
