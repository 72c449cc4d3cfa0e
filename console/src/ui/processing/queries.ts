/** API queries for how files came to be, and to make them again. */

import { useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, Refusal } from "@/api/client";
import { useLive } from "@/api/live";
import { useSession } from "@/session";

import { PROCESSING } from "./keys";
import { follow } from "./provenance";
import type { Processing, ReadableRun, Relatives, Run, RunDetail, Subject } from "./shapes";

const SOON = 3_000;

/** Processing of a file; refetched while its text is being indexed, unless changes are told as they happen. */
export function useProcessing({ id, version }: Subject) {
  const live = useLive();
  return useQuery({
    queryKey: [...PROCESSING, "one", id, version],
    queryFn: (): Promise<Processing> => answer(api.GET("/api/repo-obj/{id}/processing", { params: { path: { id } } })),
    refetchInterval: ({ state }) => (!live && state.data?.text_state === "pending" ? SOON : false),
  });
}

/** What was made from what, around a file. */
export function useProvenance(subject: Subject, processing: Processing) {
  return useQuery({
    queryKey: [...PROCESSING, "provenance", subject.id, processing],
    queryFn: () => follow(subject, processing, fetchRelatives),
    placeholderData: (before) => before,
  });
}

const fetchRelatives = (id: string): Promise<Relatives> =>
  answer(api.GET("/api/repo-obj/{id}/derivations", { params: { path: { id } } }));

/** Whether the caller can see and start runs. */
export function useMayRun(): { see: boolean; start: boolean } {
  const { can, has } = useSession();
  return { see: has("workflows") && can("workflows:read"), start: has("workflows") && can("workflows:run") };
}

const FEW = 10;

/** The newest runs that name a file. */
export function useRunsOf(id: string) {
  const { see } = useMayRun();
  return useQuery({
    queryKey: [...PROCESSING, "runs", id],
    queryFn: async (): Promise<Run[]> => (await answer(api.GET("/api/runs", { params: { query: { object: id, limit: FEW } } }))).items,
    enabled: see,
  });
}

/** Runs that made something, as far as they can be read. */
export function useRuns(ids: readonly string[]) {
  const { see } = useMayRun();
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: [...PROCESSING, "run", id],
      queryFn: (): Promise<RunDetail> => answer(api.GET("/api/runs/{id}", { params: { path: { id } } })),
      enabled: see,
      retry: (count: number, fault: Error) => !(fault instanceof Refusal && fault.status < 500) && count < 2,
    })),
    combine: (results) => ({
      isPending: see && results.some((result) => result.isPending),
      runs: results.flatMap(({ data }) => (data ? [data] : [])),
    }),
  });
}

/** Starts workflows again with their former input, each once. */
export function useRefresh() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (runs: readonly ReadableRun[]) =>
      Promise.all(
        runs.map(async ({ slug, input }) => {
          const body = { input: input as Record<string, unknown> };
          return (await answer(api.POST("/api/workflows/{slug}/run", { params: { path: { slug } }, body }))) as RunDetail;
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: [...PROCESSING, "runs"] }),
  });
}
