/** Keys of the queries for workflows, runs and triggers, and which of them a change makes stale. */

import { freshness } from "@/navigation/freshness";
import { presenceOf } from "@/ui/presence/keys";

export const DEFINITIONS = ["workflows", "definitions"] as const;
export const definition = (slug: string) => ["workflows", "definition", slug] as const;
export const RUNS = ["workflows", "runs"] as const;
export const run = (id: string) => ["workflows", "run", id] as const;
export const TRIGGERS = ["workflows", "triggers"] as const;
export const trigger = (id: string) => ["workflows", "trigger", id] as const;
/** Histories of all triggers: a run can have been started by any. */
const HISTORIES = ["workflows", "trigger"] as const;

export const workflowFreshness = [
  freshness("run", (id) => [RUNS, run(id), HISTORIES, DEFINITIONS].map((queryKey) => ({ queryKey }))),
  freshness("run_presence", (id) => [{ queryKey: presenceOf("run", id) }]),
  freshness("workflow", (slug) => [DEFINITIONS, definition(slug)].map((queryKey) => ({ queryKey }))),
  freshness("trigger", (id) => [TRIGGERS, trigger(id)].map((queryKey) => ({ queryKey }))),
] as const;
