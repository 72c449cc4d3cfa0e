/** The API of prospects and of the sign-up page. */

import { answer, api, type Schemas } from "@/api/client";

export type Prospect = Schemas["Prospect"];
export type State = Prospect["state"];
export type Level = Prospect["level"];
export type Verdict = NonNullable<Prospect["verdict"]>;
export type Decided = Schemas["DecidedProspect"];
export type Decision = Schemas["Decision"];
export type FunnelDay = Schemas["FunnelDay"];

export const STATES = ["captured", "accepted", "declined"] as const satisfies readonly State[];
export const LEVELS = ["ok", "suspicious", "blocked"] as const satisfies readonly Level[];
export const VERDICTS = ["accept", "review", "decline", "none"] as const;

export interface ProspectQuery {
  state?: State;
  level?: Level;
  verdict?: (typeof VERDICTS)[number];
  q?: string;
}

export interface Page {
  items: Prospect[];
  next_cursor: string | null;
}

const PAGE = 50;

export const fetchProspects = (query: ProspectQuery, cursor?: string): Promise<Page> =>
  answer(api.GET("/api/beta/prospects", { params: { query: { ...query, limit: PAGE, cursor } } })) as Promise<Page>;

/** How many visitors reached each step in the last 30 days, newest day first. */
export async function fetchNumbers(): Promise<FunnelDay[]> {
  const page = await answer(api.GET("/api/beta/prospects", { params: { query: { limit: 1, numbers: true } } }));
  return page.numbers ?? [];
}

export const fetchCsv = (query: ProspectQuery): Promise<Blob> =>
  answer(api.GET("/api/beta/prospects", { params: { query: { ...query, format: "csv" } }, parseAs: "blob" }));

export const decide = (id: string, body: Decision): Promise<Decided> => answer(api.POST("/api/beta/prospects/{id}/decide", { params: { path: { id } }, body }));

export const deleteProspect = (id: string) => answer(api.DELETE("/api/beta/prospects/{id}", { params: { path: { id } } }));

export const fetchExperience = (): Promise<Schemas["Experience"]> => answer(api.GET("/api/beta/experience")) as Promise<Schemas["Experience"]>;

export type Experience = Schemas["Experience"];
export type ExperienceDocument = Schemas["ExperienceDocument"];
export type FieldType = Schemas["FieldType"];
export type Copy = Required<Schemas["FunnelCopy"]>;
export type Asset = Schemas["Asset"];
export type Replay = Schemas["Replay"];

/** Null stands for “no draft yet”. */
const condition = (version: number | null): Record<string, string> => (version === null ? { "If-None-Match": "*" } : { "If-Match": `"${version}"` });

export const saveDraft = (document: ExperienceDocument, version: number | null | undefined): Promise<Experience> =>
  answer(api.PUT("/api/beta/experience", { body: document, headers: version === undefined ? {} : condition(version) })) as Promise<Experience>;

export const publishDraft = (version: number): Promise<Experience> => answer(api.POST("/api/beta/experience/publish", { headers: condition(version) })) as Promise<Experience>;

export const replayJudge = (prompt: string): Promise<Replay> => answer(api.POST("/api/beta/experience/replay", { body: { judge_prompt: prompt } }));

export const fetchAssets = async (): Promise<Asset[]> => (await answer(api.GET("/api/beta/assets"))).items;

export const uploadAsset = (filename: string, data: string): Promise<Asset> => answer(api.POST("/api/beta/assets", { body: { filename, data } }));

export const deleteAsset = (id: string) => answer(api.DELETE("/api/beta/asset/{id}", { params: { path: { id } } }));
