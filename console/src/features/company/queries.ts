/** API queries for the user's company: teams, people, roles and limits. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { welcomed } from "@/api/people";
import { WHOAMI } from "@/session";
import { useEndless } from "@/ui/endless";
import type { TrailSource } from "@/ui/trail/source";

import { COMPANY, PEOPLE, TEAMS } from "./keys";

export type Company = Schemas["Company"];
export type Team = Schemas["Team"];
export type Colleague = Schemas["Member"];
export type OrgRole = Schemas["OrgRole"];

export function useCompany() {
  return useQuery({ queryKey: [...COMPANY, "own"], queryFn: () => answer(api.GET("/api/org")) });
}

export function useTeams() {
  return useEndless(TEAMS, (cursor) => answer(api.GET("/api/org/teams", { params: { query: { cursor } } })));
}

export function useCreateTeam() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["TeamDraft"]) => answer(api.POST("/api/org/teams", { body })),
    // The creator joins the team: refresh the team switcher.
    onSuccess: () => Promise.all([COMPANY, WHOAMI].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

export function useColleagues() {
  return useEndless(PEOPLE, (cursor) =>
    answer(api.GET("/api/members", { params: { query: { scope: "org", limit: 200, cursor } } })),
  );
}

export function useChangeOrgRole() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, role }: { id: string; role: OrgRole | null }) =>
      answer(api.PATCH("/api/org/members/{id}", { params: { path: { id } }, body: { org_role: role } })),
    onSuccess: () => client.invalidateQueries({ queryKey: PEOPLE }),
  });
}

export function useAddColleague() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: Schemas["NewColleague"]) => welcomed(await answer(api.POST("/api/org/members", { body }))),
    onSuccess: () => Promise.all([PEOPLE, WHOAMI, ["members"]].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

export function companyTrail(people: readonly Colleague[], teams: readonly Team[]): TrailSource {
  return {
    name: "company",
    read: (query) => answer(api.GET("/api/org/audit", { params: { query } })),
    take: (query) =>
      answer(api.GET("/api/org/audit", { params: { query }, headers: { accept: "application/x-ndjson" }, parseAs: "blob" })),
    people,
    teams,
  };
}
