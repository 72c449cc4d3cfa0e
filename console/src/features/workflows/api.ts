/** Requests for workflows, runs and triggers. */

import { answer, api, type Schemas } from "@/api/client";

export type Definition = Schemas["WorkflowItem"];
export type DefinitionDetail = Schemas["DefinitionDetail"];
export type SpecFault = Schemas["FieldError"];
export type SpecReport = Schemas["SpecReport"];

export type RunState = Schemas["RunState"];
export const RUN_STATES = ["running", "succeeded", "failed", "cancelled"] as const satisfies readonly RunState[];
export type StepState = Schemas["StepState"];
export type RunFault = Schemas["RunFault"];
export type RunItem = Schemas["RunItem"];
/** Someone else's run: only its existence and status. */
export type RunOutline = Schemas["RunOutline"];
export type RunDetail = Schemas["RunDetail"];
export type RunStep = Schemas["StepReport"];
export type StepItem = Schemas["ItemReport"];

export type Trigger = Schemas["Trigger"];
export type TriggerItem = Schemas["TriggerItem"];
export type TriggerDetail = Schemas["TriggerDetail"];
export type TriggerDraft = Required<Schemas["TriggerDraft"]>;
export type AiRemaining = Schemas["AiRemaining"];
export type FireReason = Schemas["FireReason"];
export type Fire = Schemas["Fire"];
/** Of an upload that the caller can't read. */
export type FireSummary = Schemas["FireSummary"];

export type DryRun = Schemas["WorkflowDryRun"];
export type DryStep = Schemas["DryStep"];

type Values = Record<string, unknown>;

export const listWorkflows = (cursor?: string) => answer(api.GET("/api/workflows", { params: { query: { cursor, limit: 200 } } }));

export const getWorkflow = (slug: string, version?: number) =>
  answer(api.GET("/api/workflows/{slug}", { params: { path: { slug }, query: { version } } }));

export async function publish(spec: Values): Promise<DefinitionDetail> {
  return (await answer(api.POST("/api/workflows", { body: spec }))) as DefinitionDetail;
}

export async function validate(spec: Values): Promise<SpecReport> {
  return (await answer(api.POST("/api/workflows", { body: spec, params: { query: { validate: true } } }))) as SpecReport;
}

export interface RunQuery {
  state?: RunState;
  slug?: string;
  object?: string;
}

export const listRuns = (wanted: RunQuery, cursor?: string, limit?: number) =>
  answer(api.GET("/api/runs", { params: { query: { ...wanted, cursor, limit } } }));

export const getRun = (id: string) => answer(api.GET("/api/runs/{id}", { params: { path: { id } } }));

export const cancelRun = (id: string) => answer(api.POST("/api/runs/{id}/cancel", { params: { path: { id } } }));

const start = (slug: string, body: Schemas["RunBody"]) => answer(api.POST("/api/workflows/{slug}/run", { params: { path: { slug } }, body }));

type Started = RunDetail | RunOutline;

export async function startRun(slug: string, input: Values): Promise<Started> {
  return (await start(slug, { input })) as Started;
}

/** With the same input: only what failed is executed. */
export async function resumeRun({ slug, id }: Pick<RunDetail, "slug" | "id">): Promise<Started> {
  return (await start(slug, { resume_from: id })) as Started;
}

/** What it would cost at most. */
export async function tryRun(slug: string, input: Values): Promise<DryRun> {
  return (await start(slug, { input, dry_run: true })) as DryRun;
}

export const listTriggers = () => answer(api.GET("/api/doc-triggers"));

export const tryKey = (key: string, type?: string) => answer(api.GET("/api/doc-triggers", { params: { query: { key, content_type: type } } }));

export const getTrigger = (id: string, cursor?: string) =>
  answer(api.GET("/api/doc-triggers/{id}", { params: { path: { id }, query: { cursor } } }));

export const createTrigger = (draft: TriggerDraft) => answer(api.POST("/api/doc-triggers", { body: draft }));

export const changeTrigger = (id: string, change: Partial<TriggerDraft>) =>
  answer(api.PATCH("/api/doc-triggers/{id}", { params: { path: { id } }, body: change }));

export const deleteTrigger = (id: string) => answer(api.DELETE("/api/doc-triggers/{id}", { params: { path: { id } } }));
