/** API queries for API tokens. */

import { useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { useEndless } from "@/ui/endless";

export type ApiToken = Schemas["ApiToken"];
export type IssuedToken = Schemas["IssuedToken"];
export type NewToken = Schemas["NewToken"];

const TOKENS = ["tokens"] as const;

export function useTokens() {
  return useEndless(TOKENS, (cursor) => answer(api.GET("/api/tokens", { params: { query: { cursor } } })));
}

export function useTokenChanges() {
  const client = useQueryClient();
  const changed = (): Promise<void> => client.invalidateQueries({ queryKey: TOKENS });
  return {
    async make(draft: NewToken): Promise<IssuedToken> {
      const issued = await answer(api.POST("/api/tokens", { body: draft }));
      await changed();
      return issued;
    },
    async revoke(id: string): Promise<void> {
      await answer(api.DELETE("/api/tokens/{id}", { params: { path: { id } } }));
      await changed();
    },
  };
}
