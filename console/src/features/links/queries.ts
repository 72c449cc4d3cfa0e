/** API queries for the public links of a team or a company. */

import { useMutation, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { useEndless } from "@/ui/endless";

import { LINKS } from "./keys";

export type AdministeredLink = Schemas["AdministeredLink"];
export type Scope = "team" | "company";

export const useLinks = (scope: Scope) =>
  useEndless([...LINKS, scope], (cursor) => {
    const params = { query: { cursor } };
    return answer(scope === "team" ? api.GET("/api/links", { params }) : api.GET("/api/org/links", { params }));
  });

export function useRevoke(scope: Scope) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => {
      const params = { path: { id } };
      await answer(scope === "team" ? api.DELETE("/api/links/{id}", { params }) : api.DELETE("/api/org/links/{id}", { params }));
    },
    onSettled: () => client.invalidateQueries({ queryKey: LINKS }),
  });
}
