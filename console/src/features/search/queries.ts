/** API queries for search. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { useEndless } from "@/ui/endless";

import { TYPES, type Address } from "./address";
import { SEARCH } from "./keys";

export type Found = Schemas["SearchResult"];

const FEW = 8;
export const LONGEST = 256;

/** Top results, as you type. */
export function useTopResults(q: string) {
  return useQuery({
    queryKey: [...SEARCH, "glance", q],
    // Cancelled when something else is typed.
    queryFn: async ({ signal }) => (await answer(api.GET("/api/search", { params: { query: { q, types: [...TYPES], limit: FEW } }, signal }))).items,
    enabled: q !== "",
    placeholderData: keepPreviousData,
  });
}

/** All results, paged. */
export function useFound({ q = "", type, scope }: Address) {
  return useEndless<Found>([...SEARCH, "found", q, type, scope], (cursor) =>
    answer(api.GET("/api/search", { params: { query: { q, types: type ? [type] : [...TYPES], scope, cursor } } })),
  );
}
