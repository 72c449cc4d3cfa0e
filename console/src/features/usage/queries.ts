/** API queries for usage. */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";

import { USAGE } from "./keys";

export type Usage = Schemas["Usage"];
export type Interval = Schemas["Interval"];
export type MetricHistory = Schemas["MetricHistory"];
export type Spender = Schemas["Spender"];
export type Answer = Schemas["EchoAnswer"];

/** Refetched at intervals: a window that ends resets usage without a change. */
const LOOK_AGAIN = 60_000;

export function useUsage() {
  return useQuery({
    queryKey: USAGE,
    queryFn: () => answer(api.GET("/api/usage")),
    refetchInterval: LOOK_AGAIN,
  });
}

export function useHours() {
  return useQuery({
    queryKey: [...USAGE, "hours"],
    queryFn: async () => (await answer(api.GET("/api/usage", { params: { query: { history: "hour" } } }))).history ?? [],
    refetchInterval: LOOK_AGAIN,
  });
}

/** The charts stay while another span is fetched. */
export function useDays(days: number) {
  return useQuery({
    queryKey: [...USAGE, "days", days],
    queryFn: async () => (await answer(api.GET("/api/usage/history", { params: { query: { days } } }))).items,
    refetchInterval: LOOK_AGAIN,
    placeholderData: keepPreviousData,
  });
}

export function useSpenders() {
  return useQuery({
    queryKey: [...USAGE, "spenders"],
    queryFn: async () => (await answer(api.GET("/api/usage", { params: { query: { spenders: true } } }))).spenders ?? [],
    refetchInterval: LOOK_AGAIN,
  });
}

/** Refetch after success and failure: both change the usage. */
export function useEcho() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (prompt: string) => answer(api.POST("/api/ai/echo", { body: { prompt } })),
    onSettled: () => client.invalidateQueries({ queryKey: USAGE }),
  });
}
