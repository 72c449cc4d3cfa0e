/** Both brandings, the company's and the instance's: how they are read, changed and dropped. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, Refusal, type Schemas } from "@/api/client";
import { BRAND } from "@/theme/brand";

import type { Changes } from "./draft";

export type Branding = Schemas["Branding"];
export type OrgBranding = Schemas["OrgBranding"];

const COMPANY = ["branding", "company"] as const;
const INSTANCE = ["branding", "instance"] as const;
const MOST = 200;

export function useCompanyBranding() {
  return useQuery({ queryKey: COMPANY, queryFn: () => answer(api.GET("/api/org/branding")) });
}

/** Asked as a stranger: whoever signs in is shown the look of their own company. */
export function useInstanceBranding() {
  return useQuery({ queryKey: INSTANCE, queryFn: asStranger });
}

async function asStranger(): Promise<Branding> {
  const response = await fetch("/api/branding", { headers: { accept: "application/json" } }).catch(() => undefined);
  if (!response?.ok) throw new Refusal(response?.status ?? 0, {});
  return (await response.json()) as Branding;
}

/** A company that has this very hostname: a stranger is shown its look here, and not the instance's. */
export function useCompanyOfHost() {
  return useQuery({
    queryKey: ["branding", "host"],
    queryFn: () => answer(api.GET("/api/orgs", { params: { query: { limit: MOST } } })),
    select: (page) => page.items.find((org) => org.domain === location.hostname) ?? null,
  });
}

/** The API's description knows a theme only as some object. */
const body = (changes: Changes): Schemas["BrandingChange"] => changes as Schemas["BrandingChange"];

export function useChangeCompany() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (changes: Changes) => answer(api.PUT("/api/org/branding", { body: body(changes) })),
    onSuccess: (saved) => {
      client.setQueryData(COMPANY, saved);
      return client.invalidateQueries({ queryKey: BRAND });
    },
  });
}

export function useChangeInstance() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (changes: Changes) => answer(api.PUT("/api/branding", { body: body(changes) })),
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
