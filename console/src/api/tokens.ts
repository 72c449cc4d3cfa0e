/** Creates API tokens. */

import { useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "./client";

export type IssuedToken = Schemas["IssuedToken"];
export type NewToken = Schemas["NewToken"];

export const TOKENS = ["tokens"] as const;

export function useMakeToken(): (draft: NewToken) => Promise<IssuedToken> {
  const client = useQueryClient();
  return async (draft) => {
    const issued = await answer(api.POST("/api/tokens", { body: draft }));
    await client.invalidateQueries({ queryKey: TOKENS });
    return issued;
  };
}
