/** API queries for workflows, runs and triggers. */

import { keepPreviousData, skipToken, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { useLive } from "@/api/live";
import { useEndless } from "@/ui/endless";

import {
  cancelRun, changeTrigger, createTrigger, deleteTrigger, getRun, getTrigger, getWorkflow, listRuns, listTriggers, listWorkflows, publish,
  resumeRun, startRun, tryKey, tryRun, type Definition, type RunDetail, type RunItem, type RunOutline, type RunQuery, type TriggerDraft,
} from "./api"; // prettier-ignore
import { DEFINITIONS, definition, run, RUNS, trigger, TRIGGERS } from "./keys";
import { titleOf } from "./words";

const MOST_PAGES = 20;

/** All of them: people choose one, and a team has few. */
export function useDefinitions() {
  return useQuery({ queryKey: DEFINITIONS, queryFn: everyDefinition });
}

async function everyDefinition(): Promise<Definition[]> {
  const all: Definition[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const found = await listWorkflows(cursor);
    all.push(...found.items);
    if (!found.next_cursor) break;
    cursor = found.next_cursor;
  }
  return all;
}

/** The slug as long as the title is not known. */
export function useWorkflowTitle(slug: string): string {
  const { data = [] } = useDefinitions();
  const definition = data.find((one) => one.slug === slug);
  return definition ? titleOf(definition) : slug;
}

/** The newest version unless another is named. */
export function useDefinition(slug: string | undefined, version?: number) {
  return useQuery({
    queryKey: [...definition(slug ?? ""), version ?? "newest"],
    queryFn: slug ? () => getWorkflow(slug, version) : skipToken,
    placeholderData: version === undefined ? undefined : keepPreviousData,
  });
}

export function usePublish() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: publish,
    onSuccess: ({ slug }) =>
      Promise.all([DEFINITIONS, definition(slug)].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

const OFTEN = 2_000;
const SELDOM = 30_000;

type Listed = RunItem | RunOutline;

/** Without the event stream, what runs is asked for again; with it only now and then, as a safety net. */
function pace(runs: readonly Pick<Listed, "state">[], live: boolean): number | false {
  if (!runs.some(({ state }) => state === "running")) return live ? false : SELDOM;
  return live ? SELDOM : OFTEN;
}

export function useRuns(wanted: RunQuery) {
  const live = useLive();
  return useEndless(
    [...RUNS, wanted],
    (cursor) => listRuns(wanted, cursor),
    (pages) => pace(pages.flatMap((page) => page.items), live),
  );
}

const FEW = 5;

export function useRunsOf(slug: string) {
  return useQuery({ queryKey: [...RUNS, "of", slug], queryFn: async () => (await listRuns({ slug }, undefined, FEW)).items });
}

export function useRun(id: string | undefined) {
  const live = useLive();
  return useQuery({
    queryKey: run(id ?? ""),
    queryFn: id ? () => getRun(id) : skipToken,
    refetchInterval: ({ state }) => (state.data ? pace([state.data], live) : false),
  });
}

function useRunChange<Given, Made>(change: (given: Given) => Promise<Made>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => Promise.all([RUNS, ["workflows", "run"]].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

export const useStart = (slug: string) => useRunChange((input: Record<string, unknown>) => startRun(slug, input));
export const useCancel = () => useRunChange(cancelRun);
export const useResume = () => useRunChange((from: RunDetail) => resumeRun(from));

export function useTry(slug: string) {
  return useMutation({ mutationFn: (input: Record<string, unknown>) => tryRun(slug, input) });
}

export function useTriggers(enabled = true) {
  return useQuery({ queryKey: TRIGGERS, queryFn: enabled ? listTriggers : skipToken });
}

/** A trigger with all loaded pages of its history. */
export function useTrigger(id: string) {
  return useInfiniteQuery({
    queryKey: trigger(id),
    queryFn: ({ pageParam }) => getTrigger(id, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: ({ pages }) => pages[0] && { ...pages[0], history: pages.flatMap((page) => page.history) },
  });
}

export interface Upload {
  key: string;
  /** Empty: what the key suggests. */
  type: string;
}

export function useTryKey(upload: Upload | null) {
  return useQuery({
    queryKey: [...TRIGGERS, "try", upload],
    queryFn: upload ? async () => (await tryKey(upload.key, upload.type || undefined)).items : skipToken,
  });
}

export function useTriggerChanges() {
  const client = useQueryClient();
  const onSettled = () => Promise.all([TRIGGERS, ["workflows", "trigger"]].map((queryKey) => client.invalidateQueries({ queryKey })));
  const save = useMutation({
    mutationFn: ({ id, draft }: { id?: string; draft: Partial<TriggerDraft> }) => (id ? changeTrigger(id, draft) : createTrigger(draft as TriggerDraft)),
    onSettled,
  });
  const remove = useMutation({ mutationFn: deleteTrigger, onSettled });
  return { save, remove };
}
