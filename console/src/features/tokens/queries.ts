/** API queries for API tokens. */

import { useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { TOKENS } from "@/api/tokens";
import { useEndless } from "@/ui/endless";

export type ApiToken = Schemas["ApiToken"];

export function useTokens() {
  return useEndless(TOKENS, (cursor) => answer(api.GET("/api/tokens", { params: { query: { cursor } } })));
}

export function useRevoke(): (id: string) => Promise<void> {
  const client = useQueryClient();
  return async (id) => {
    await answer(api.DELETE("/api/tokens/{id}", { params: { path: { id } } }));
    await client.invalidateQueries({ queryKey: TOKENS });
  };
}
