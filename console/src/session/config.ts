/** What the instance tells everyone before they sign in. */

import { queryOptions, useQuery } from "@tanstack/react-query";

import { answer, api } from "@/api/client";

export const configQuery = queryOptions({
  queryKey: ["instance", "config"],
  queryFn: () => answer(api.GET("/api/config")),
  staleTime: Infinity,
});

export const useConfig = () => useQuery(configQuery);
