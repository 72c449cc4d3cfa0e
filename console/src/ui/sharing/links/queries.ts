/** Public links of a file or document. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, Refusal, type Schemas } from "@/api/client";

import { sharingOf } from "../keys";

export type PublicLink = Schemas["PublicLink"];
export type LinkChange = Schemas["LinkChange"];

const links = (id: string) => [...sharingOf(id), "links"] as const;

/** Always refetched: they are counted, and expire. */
export function useLinks(id: string) {
  return useQuery({
    queryKey: links(id),
    queryFn: async () => (await answer(api.GET("/api/repo-obj/{id}/links", { params: { path: { id } } }))).items,
    staleTime: 0,
  });
}

export function useCreateLink(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: LinkChange) => answer(api.POST("/api/repo-obj/{id}/links", { params: { path: { id } }, body })),
    onSuccess: (created) => client.setQueryData<PublicLink[]>(links(id), (before) => [created, ...(before ?? [])]),
  });
}

export function useChangeLink(id: string, link: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: LinkChange) => answer(api.PATCH("/api/repo-obj/{id}/links/{link}", { params: { path: { id, link } }, body })),
    onSuccess: (changed) => client.setQueryData<PublicLink[]>(links(id), (before) => before?.map((each) => (each.id === link ? changed : each))),
  });
}

/** Revokes several links, one after the other; those that are gone already count as revoked. */
export function useRevokeLinks(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (gone: readonly string[]) => {
      for (const link of gone) await revoke(id, link);
    },
    onSettled: () => client.invalidateQueries({ queryKey: links(id) }),
  });
}

async function revoke(id: string, link: string): Promise<void> {
  try {
    await answer(api.DELETE("/api/repo-obj/{id}/links/{link}", { params: { path: { id, link } } }));
  } catch (fault) {
    if (!(fault instanceof Refusal && fault.status === 404)) throw fault;
  }
}
