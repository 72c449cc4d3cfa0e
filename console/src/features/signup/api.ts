/** The API of prospects. */

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
