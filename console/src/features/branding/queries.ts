/** API queries for both brandings, the company's and the instance's. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { BRAND } from "@/theme/brand";

import type { Changes } from "./draft";

export type Branding = Schemas["Branding"];
export type OrgBranding = Schemas["OrgBranding"];

const COMPANY = ["branding", "company"] as const;
const INSTANCE = ["branding", "instance"] as const;

export function useCompanyBranding() {
  return useQuery({ queryKey: COMPANY, queryFn: () => answer(api.GET("/api/org/branding")) });
}

/** The instance's own, not that of the operator's company or of this hostname. */
export function useInstanceBranding() {
  return useQuery({
    queryKey: INSTANCE,
    queryFn: () => answer(api.GET("/api/branding", { params: { query: { scope: "instance" } } })),
  });
}

export function useChangeCompany() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (changes: Changes) => answer(api.PUT("/api/org/branding", { body: changes })),
    onSuccess: (saved) => {
      client.setQueryData(COMPANY, saved);
      return client.invalidateQueries({ queryKey: BRAND });
    },
  });
}

export function useChangeInstance() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (changes: Changes) => answer(api.PUT("/api/branding", { body: changes })),
    onSuccess: async (saved) => {
      client.setQueryData(INSTANCE, saved);
      await client.invalidateQueries({ queryKey: COMPANY });
      return client.invalidateQueries({ queryKey: BRAND });
    },
  });
}

export function useDropCompany() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => answer(api.DELETE("/api/org/branding")),
    onSuccess: () => client.invalidateQueries({ queryKey: ["branding"] }),
  });
}
