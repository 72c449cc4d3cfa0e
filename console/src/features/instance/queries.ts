/** API queries for operators: status, companies, metrics. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { WHOAMI } from "@/session";
import { useEndless } from "@/ui/endless";

import { extended, type Watched } from "./metrics/history";

export type Status = Schemas["Status"];
export type Org = Schemas["Org"];
export type Company = Schemas["Company"];
export type Plan = Schemas["Plan"];
export type Dimension = Schemas["Dimension"];
export type Window = Schemas["Window"];
export type Figures = Schemas["Figures"];
export type RouteFigures = Schemas["RouteFigures"];

const COMPANIES = ["instance", "companies"] as const;

export function useStatus() {
  return useQuery({ queryKey: ["instance", "status"], queryFn: () => answer(api.GET("/api/admin/status")) });
}

export function useCompanies() {
  return useEndless(COMPANIES, (cursor) => answer(api.GET("/api/orgs", { params: { query: { cursor } } })));
}

export function useCompany(ref: string) {
  return useQuery({
    queryKey: [...COMPANIES, ref],
    queryFn: () => answer(api.GET("/api/orgs/{ref}", { params: { path: { ref } } })),
  });
}

/** A change to the user's own company also shows in the shell. */
function useForgetCompanies(): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all([COMPANIES, ["company"], WHOAMI].map((queryKey) => client.invalidateQueries({ queryKey })));
}

export function useCreateCompany() {
  const onSuccess = useForgetCompanies();
  return useMutation({
    mutationFn: (body: Schemas["CompanyDraft"]) => answer(api.POST("/api/orgs", { body })),
    onSuccess,
  });
}

export function useChangeCompany(ref: string) {
  const onSuccess = useForgetCompanies();
  return useMutation({
    mutationFn: (body: Schemas["CompanyChange"]) => answer(api.PATCH("/api/orgs/{ref}", { params: { path: { ref } }, body })),
    onSuccess,
  });
}

export function useLimitCompany(ref: string) {
  const onSuccess = useForgetCompanies();
  return useMutation({
    mutationFn: (body: Schemas["QuotaDraft"]) => answer(api.POST("/api/orgs/{ref}/quota", { params: { path: { ref } }, body })),
    onSuccess,
  });
}

export function useSuspension(ref: string) {
  const onSuccess = useForgetCompanies();
  return useMutation({
    mutationFn: (suspended: boolean) => {
      const params = { path: { ref } };
      return answer(suspended ? api.POST("/api/orgs/{ref}/suspend", { params }) : api.POST("/api/orgs/{ref}/resume", { params }));
    },
    onSuccess,
  });
}

export function useSeedCompanies() {
  const onSuccess = useForgetCompanies();
  return useMutation({ mutationFn: () => answer(api.POST("/api/admin/seed-tenants")), onSuccess });
}

const FIGURES = ["instance", "figures"] as const;
const EVERY = 5_000;
const SOON = 1_000;
const REMEMBERED = 600_000;

/** Polled every few seconds; samples are kept for a while after leaving the page. */
export function useFigures(paused: boolean) {
  const client = useQueryClient();
  return useQuery({
    queryKey: FIGURES,
    queryFn: async () => {
      const figures = await answer(api.GET("/api/metrics"));
      return extended(client.getQueryData<Watched>(FIGURES), figures, Date.now());
    },
    // The first rate needs a second sample: take it soon.
    refetchInterval: ({ state }) => (paused ? false : (state.data?.samples.length ?? 0) < 2 ? SOON : EVERY),
    staleTime: EVERY,
    gcTime: REMEMBERED,
    structuralSharing: false,
  });
}
