/** What the team has used, at the server. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";

import type { Span } from "./history";

export type Usage = Schemas["Usage"];
export type Interval = Schemas["Interval"];
export type Spender = Schemas["Spender"];
export type Answer = Schemas["Answer"];

const USAGE = ["usage"] as const;
/** The numbers move while one looks, and so does the time until they begin anew. */
const LOOK_AGAIN = 60_000;

export function useUsage() {
  return useQuery({
    queryKey: USAGE,
    queryFn: () => answer(api.GET("/api/usage")),
    refetchInterval: LOOK_AGAIN,
  });
}

export function useHistory(per: Span) {
  return useQuery({
    queryKey: [...USAGE, "history", per],
    queryFn: async () => (await answer(api.GET("/api/usage", { params: { query: { history: per } } }))).history ?? [],
    refetchInterval: LOOK_AGAIN,
  });
}

export function useSpenders() {
  return useQuery({
    queryKey: [...USAGE, "spenders"],
    queryFn: async () => (await answer(api.GET("/api/usage", { params: { query: { spenders: true } } }))).spenders ?? [],
    refetchInterval: LOOK_AGAIN,
  });
}

/** Whether it is granted or refused: afterwards the numbers are others. */
export function useEcho() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (prompt: string) => answer(api.POST("/api/ai/echo", { body: { prompt } })),
    onSettled: () => client.invalidateQueries({ queryKey: USAGE }),
  });
}
