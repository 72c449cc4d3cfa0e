/** Queries for prospects and the sign-up page. */

import { useQuery, useQueryClient, type InfiniteData } from "@tanstack/react-query";

import { useEndless } from "@/ui/endless";

import { fetchAssets, fetchExperience, fetchNumbers, fetchProspects, type Page, type Prospect, type ProspectQuery } from "./api";
import { ASSETS, EXPERIENCE, NUMBERS, PROSPECTS } from "./keys";

export const useProspects = (query: ProspectQuery) => useEndless<Prospect>([...PROSPECTS, query], (cursor) => fetchProspects(query, cursor));

export const useNumbers = () => useQuery({ queryKey: NUMBERS, queryFn: fetchNumbers });

export const useExperience = () => useQuery({ queryKey: EXPERIENCE, queryFn: fetchExperience });

export const useAssets = () => useQuery({ queryKey: ASSETS, queryFn: fetchAssets });

/** Brings the lists up to date without fetching them: rows stay where they are. */
export function useKnown() {
  const client = useQueryClient();

  function change(turn: (items: Prospect[]) => Prospect[]): void {
    client.setQueriesData<InfiniteData<Page>>({ queryKey: PROSPECTS }, (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, items: turn(page.items) })) });
    void client.invalidateQueries({ queryKey: NUMBERS });
  }

  return {
    replace: (prospect: Prospect) => change((items) => items.map((one) => (one.id === prospect.id ? prospect : one))),
    remove: (id: string) => change((items) => items.filter((one) => one.id !== id)),
    refetch: () => client.invalidateQueries({ queryKey: PROSPECTS }),
  };
}
