/** Requests for workflows, runs and triggers. */

import { request } from "@/api/request";
import type { PageOf } from "@/ui/endless";
import type { FullQuota } from "@/ui/quotaWords";
import type { Values } from "@/i18n";

import type { Input } from "./spec/shapes";

export interface Definition {
  slug: string;
  version: number;
  title: string;
  description: string;
  /** `team`, or the id of a plugin. */
  source: string;
  author: string | null;
  inputs: Record<string, Input>;
  steps: number;
  max_steps: number;
  created_at: string;
  updated_at: string;
}

export interface DefinitionDetail extends Definition {
  spec: Record<string, unknown>;
}

export interface SpecFault {
  pointer: string;
  message: string;
  key?: string | null;
  params?: Values;
}

export interface Validation {
  valid: boolean;
  errors: SpecFault[];
  /** That it would get. */
  version: number | null;
}

export const RUN_STATES = ["running", "succeeded", "failed", "cancelled"] as const;
export type RunState = (typeof RUN_STATES)[number];
export type StepState = RunState | "pending" | "skipped";
export type ItemState = RunState | "queued";

export interface RunFault {
  code: string;
  message: string;
  key?: string | null;
  params?: Values;
  step?: string | null;
}

export interface Usage {
  requests: number;
  tokens: number;
}

export interface RunOutline {
  view: "outline";
  id: string;
  slug: string;
  version: number;
  state: RunState;
  created_at: string;
  finished_at: string | null;
}

export interface RunItem extends Omit<RunOutline, "view"> {
  view: "full";
  waiting: boolean;
  owner: string;
  trigger_id: string | null;
  resumed_from: string | null;
  steps_used: number;
  max_steps: number;
  error: RunFault | null;
  usage: Usage;
}

export interface StepItem {
  index: number;
  state: ItemState;
  job_id: string | null;
  result: unknown;
  error: RunFault | null;
  attempt: number;
}

export interface RunStep {
  id: string;
  kind: "tool" | "map" | "choice";
  tool: string | null;
  state: StepState;
  total: number;
  succeeded: number;
  failed: number;
  running: number;
  started_at: string | null;
  finished_at: string | null;
  output: unknown;
  error: RunFault | null;
  usage: Usage;
  items: StepItem[];
}

export interface RunDetail extends RunItem {
  input: Record<string, unknown>;
  locale: string;
  spec: Record<string, unknown>;
  objects: string[];
  steps: RunStep[];
}

export interface DryStep {
  id: string;
  kind: string;
  tool: string | null;
  /** At most; null if that depends on results. */
  jobs: number | null;
  requests: number;
  tokens: number;
}

export interface DryRun {
  dry_run: true;
  executor: string | null;
  model: string | null;
  estimate: Usage;
  admitted: boolean;
  blocked_by: FullQuota | null;
  steps: DryStep[];
}

export const FIRE_REASONS = [
  "disabled", "prefix_mismatch", "type_mismatch", "derived", "loop", "loop_depth", "org_suspended", "feature_off", "no_permission",
  "workflow_missing", "input_invalid", "quota", "internal_error",
] as const; // prettier-ignore
export type FireReason = (typeof FIRE_REASONS)[number];

/** Null is unlimited. */
export interface AiRemaining {
  requests: number | null;
  tokens: number | null;
}

export interface Trigger {
  id: string;
  workflow_slug: string;
  match_prefix: string;
  match_types: string[];
  input: Record<string, unknown>;
  fire_on_derived: boolean;
  enabled: boolean;
  author: string;
  ai_remaining: AiRemaining;
  created_at: string;
  updated_at: string;
}

export interface Unfired {
  code: FireReason;
  message: string;
  key: string;
  params: Values;
}

export interface TriggerItem extends Trigger {
  would_fire?: boolean | null;
  reason?: Unfired | null;
}

export interface FireSummary {
  view: "outline";
  reason: FireReason | null;
  at: string;
}

export interface Fire {
  view: "full";
  object_id: string;
  version: number;
  run_id: string | null;
  reason: FireReason | null;
  message: string | null;
  key: string | null;
  params: Values;
  at: string;
}

export interface TriggerDetail extends Trigger {
  history: (Fire | FireSummary)[];
  next_cursor: string | null;
}

export type TriggerDraft = Pick<Trigger, "workflow_slug" | "match_prefix" | "match_types" | "input" | "fire_on_derived" | "enabled">;

async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await request(method, path, body);
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}

function query(values: Record<string, string | number | undefined>): string {
  const given = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]]));
  return given.length > 0 ? `?${new URLSearchParams(given).toString()}` : "";
}

const named = (slug: string): string => `/api/workflows/${encodeURIComponent(slug)}`;

export const listWorkflows = (cursor?: string) => ask<PageOf<Definition>>("GET", `/api/workflows${query({ cursor })}`);
export const getWorkflow = (slug: string, version?: number) => ask<DefinitionDetail>("GET", `${named(slug)}${query({ version })}`);
export const publish = (spec: unknown) => ask<DefinitionDetail>("POST", "/api/workflows", spec);
export const validate = (spec: unknown) => ask<Validation>("POST", "/api/workflows?validate=1", spec);

export interface RunQuery {
  state?: RunState;
  slug?: string;
  object?: string;
}

export const listRuns = (wanted: RunQuery, cursor?: string, limit?: number) => ask<PageOf<RunItem | RunOutline>>("GET", `/api/runs${query({ ...wanted, cursor, limit })}`);
export const getRun = (id: string) => ask<RunDetail | RunOutline>("GET", `/api/runs/${id}`);
export const cancelRun = (id: string) => ask<RunItem | RunOutline>("POST", `/api/runs/${id}/cancel`);
export const startRun = (slug: string, input: unknown) => ask<RunItem>("POST", `${named(slug)}/run`, { input });
export const resumeRun = ({ slug, id, input }: RunDetail) => ask<RunItem>("POST", `${named(slug)}/run`, { input, resume_from: id });
export const tryRun = (slug: string, input: unknown) => ask<DryRun>("POST", `${named(slug)}/run`, { input, dry_run: true });

export const listTriggers = () => ask<PageOf<TriggerItem>>("GET", "/api/doc-triggers");
export const tryKey = (key: string, type?: string) => ask<PageOf<TriggerItem>>("GET", `/api/doc-triggers${query({ key, content_type: type })}`);
export const getTrigger = (id: string, cursor?: string) => ask<TriggerDetail>("GET", `/api/doc-triggers/${id}${query({ cursor })}`);
export const createTrigger = (draft: TriggerDraft) => ask<Trigger>("POST", "/api/doc-triggers", draft);
export const changeTrigger = (id: string, change: Partial<TriggerDraft>) => ask<Trigger>("PATCH", `/api/doc-triggers/${id}`, change);
export const deleteTrigger = (id: string) => ask<undefined>("DELETE", `/api/doc-triggers/${id}`);
