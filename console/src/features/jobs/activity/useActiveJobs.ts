/** Apart from the other queries of jobs: the frame has it on every screen. */

import { useQuery } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { useLive } from "@/api/live";

import { ACTIVE } from "../keys";
import { activityPace } from "../pace";

const UNFINISHED = ["running", "queued"] as const satisfies readonly Schemas["State"][];
const MAX_COUNT = 20;

/** The number of running and queued jobs. Polls only while there are any, or while the list is open. */
export function useActiveJobs(watched: boolean): { count: number; hasMore: boolean } {
  const live = useLive();
  const { data } = useQuery({
    queryKey: ACTIVE,
    queryFn: () => Promise.all(UNFINISHED.map((state) => answer(api.GET("/api/jobs", { params: { query: { state, limit: MAX_COUNT } } })))),
    refetchInterval: ({ state }) => activityPace(state.data?.flatMap((page) => page.items) ?? [], watched, live),
  });
  return {
    count: data?.reduce((sum, page) => sum + page.items.length, 0) ?? 0,
    hasMore: data?.some((page) => page.next_cursor !== null) ?? false,
  };
}
