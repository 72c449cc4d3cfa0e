/** API queries for the team's jobs. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { useLive } from "@/api/live";
import { useEndless } from "@/ui/endless";

import type { Filters } from "./filters";
import { JOBS, LATEST, LISTS, one } from "./keys";
import { paceOf } from "./pace";

export type JobItem = Schemas["JobItem"];
/** Someone else's job: only its existence and status. */
export type JobOutline = Schemas["JobSummary"];
export type Job = Schemas["JobDetail"];
export type State = Schemas["State"];
export type Waiting = Schemas["Waiting"];
export type Fault = Schemas["JobFault"];

const hidden = (): boolean => document.visibilityState === "hidden";

export function useJobs({ state, kind }: Filters) {
  const live = useLive();
  return useEndless(
    [...LISTS, { state, kind }],
    (cursor) => answer(api.GET("/api/jobs", { params: { query: { cursor, state, kind } } })),
    (pages) => paceOf(pages.flatMap((page) => page.items), { live, pages: pages.length, hidden: hidden() }),
  );
}

export function useJob(id: string) {
  const live = useLive();
  return useQuery({
    queryKey: one(id),
    queryFn: () => answer(api.GET("/api/jobs/{id}", { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data ? paceOf([state.data], { live, hidden: hidden() }) : false),
    refetchIntervalInBackground: true,
  });
}

const FEW = 5;

export function useLatestJobs() {
  const live = useLive();
  return useQuery({
    queryKey: LATEST,
    queryFn: async () => (await answer(api.GET("/api/jobs", { params: { query: { limit: FEW } } }))).items,
    refetchInterval: ({ state }) => paceOf(state.data ?? [], { live }),
  });
}

export interface ChatRequest {
  prompt: string;
  executor?: string;
  priority: number;
  run_at?: string;
}

/** A change returns the job: shows it at once, and refetches the lists. */
function useChange<Input, Changed extends Job | JobOutline>(change: (input: Input) => Promise<Changed>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (job) => client.setQueryData(one(job.id), job),
    onSettled: () => void client.invalidateQueries({ queryKey: JOBS }),
  });
}

export function useAskModel() {
  return useChange(({ prompt, executor, ...rest }: ChatRequest) => {
    // The schema only says that an input is an object.
    const input = { prompt, executor } as unknown as Record<string, never>;
    return answer(api.POST("/api/jobs", { body: { kind: "ai.chat", input, ...rest } }));
  });
}

export function useRetry() {
  return useChange((id: string) => answer(api.POST("/api/jobs", { body: { retry_of: id } })));
}

export function useStop() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answer(api.DELETE("/api/ai/chat/stream/{id}", { params: { path: { id } } })),
    onSettled: () => void client.invalidateQueries({ queryKey: JOBS }),
  });
}

export function useCancel() {
  return useChange((id: string) => answer(api.POST("/api/jobs/{id}/cancel", { params: { path: { id } } })));
}
