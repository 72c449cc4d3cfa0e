/** The team's jobs at the server. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { useEndless } from "@/ui/endless";

import type { Filters } from "./filters";
import { paceOf } from "./pace";

export type JobItem = Schemas["JobItem"];
/** A job of somebody else's: that there is one, and how it stands. */
export type JobOutline = Schemas["JobOutline"];
export type Job = Schemas["Job"];
export type State = Schemas["State"];
export type Waiting = Schemas["Waiting"];
export type Fault = Schemas["Fault"];

const JOBS = ["jobs"] as const;
const one = (id: string) => [...JOBS, "one", id] as const;

const hidden = (): boolean => document.visibilityState === "hidden";

export function useJobs({ state, kind }: Filters) {
  return useEndless(
    [...JOBS, "list", { state, kind }],
    (cursor) => answer(api.GET("/api/jobs", { params: { query: { cursor, state, kind } } })),
    (pages) => paceOf(pages.flatMap((page) => page.items), { pages: pages.length, hidden: hidden() }),
  );
}

export function useJob(id: string) {
  return useQuery({
    queryKey: one(id),
    queryFn: () => answer(api.GET("/api/jobs/{id}", { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data ? paceOf([state.data], { hidden: hidden() }) : false),
    refetchIntervalInBackground: true,
  });
}

export interface ChatWish {
  prompt: string;
  executor?: string;
  priority: number;
  run_at?: string;
}

/** What changes a job answers with it: it is shown at once, and the lists are asked for again. */
function useChange<Wish>(change: (wish: Wish) => Promise<Job>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (job) => client.setQueryData(one(job.id), job),
    onSettled: () => client.invalidateQueries({ queryKey: JOBS }),
  });
}

export function useAskModel() {
  return useChange(({ prompt, executor, ...rest }: ChatWish) => {
    // The description says of a kind's input only that it is an object.
    const input = { prompt, executor } as unknown as Record<string, never>;
    return answer(api.POST("/api/jobs", { body: { kind: "ai.chat", input, ...rest } }));
  });
}

export function useRetry() {
  return useChange((id: string) => answer(api.POST("/api/jobs", { body: { retry_of: id } })));
}

export function useCancel() {
  return useChange((id: string) => answer(api.POST("/api/jobs/{id}/cancel", { params: { path: { id } } })));
}
