/** Who does model work: to list them, to choose one, and to say who did a job. */

import { useQuery } from "@tanstack/react-query";

import { answer, api, type Schemas } from "./client";

export type Executor = Schemas["Executor"];

/** The server itself has no row: this is its id and its name. */
export const LOCAL = "local";
export const EXECUTORS = ["executors"] as const;

const LOOK_AGAIN = 10_000;

/** Health is what was heard lately, so it is asked for again and again while somebody looks. */
export function useExecutors({ live = false } = {}) {
  return useQuery({
    queryKey: EXECUTORS,
    queryFn: async () => (await answer(api.GET("/api/executors"))).items,
    refetchInterval: live && LOOK_AGAIN,
  });
}
