/** API queries for executors. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { EXECUTORS } from "@/api/executors";

export type NewExecutor = Schemas["NewExecutor"];
export type Mode = Schemas["Mode"];
export type Org = Schemas["Org"];
type Draft = Schemas["InstanceExecutorDraft"];

/** Instance-wide, or within the user's company. */
export type Plane = "instance" | "company";

const MOST_PAGES = 10;

export function useSetUp(plane: Plane) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ org_id, ...draft }: Draft) =>
      answer(plane === "instance" ? api.POST("/api/executors", { body: { ...draft, org_id } }) : api.POST("/api/org/executors", { body: draft })),
    onSuccess: () => client.invalidateQueries({ queryKey: EXECUTORS }),
  });
}

export function useRetire() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answer(api.DELETE("/api/executors/{id}", { params: { path: { id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: EXECUTORS }),
  });
}

/** Companies to choose from, for operators. */
export function useCompanies(enabled: boolean) {
  return useQuery({ queryKey: ["instance", "companies", { all: true }], queryFn: companies, enabled, staleTime: 60_000 });
}

async function companies(): Promise<Org[]> {
  const found: Org[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answered = await answer(api.GET("/api/orgs", { params: { query: { limit: 200, cursor } } }));
    found.push(...answered.items);
    if (!answered.next_cursor) break;
    cursor = answered.next_cursor;
  }
  return found;
}
