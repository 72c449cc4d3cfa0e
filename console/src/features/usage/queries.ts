/** What the team has used, at the server. */

import { useQuery } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";

export type Usage = Schemas["Usage"];

/** Asked again every minute: the numbers move while one looks, and so does the time until they begin anew. */
export function useUsage() {
  return useQuery({
    queryKey: ["usage"],
    queryFn: () => answer(api.GET("/api/usage")),
    refetchInterval: 60_000,
  });
}
