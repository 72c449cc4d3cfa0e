/** What the server finds: the only file here that knows its address. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { useEndless } from "@/ui/endless";

import { TYPES, type Address } from "./address";

export type Found = Schemas["Found"];

const FEW = 8;
export const LONGEST = 256;

/** The best of it, while one types. */
export function useGlance(q: string) {
  return useQuery({
    queryKey: ["search", "glance", q],
    queryFn: async () => (await answer(api.GET("/api/search", { params: { query: { q, types: [...TYPES], limit: FEW } } }))).items,
    enabled: q !== "",
    placeholderData: keepPreviousData,
  });
}

/** All of it, page after page. */
export function useFound({ q = "", type, scope }: Address) {
  return useEndless<Found>(["search", "found", q, type, scope], (cursor) =>
    answer(api.GET("/api/search", { params: { query: { q, types: type ? [type] : [...TYPES], scope, cursor } } })),
  );
}
