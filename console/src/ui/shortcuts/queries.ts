/** API queries for favourites and recents. */

import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";

import { answer, api } from "@/api/client";
import { noticeFault } from "@/ui/notice";

import { isKnown, isSame, type Kind, type Shortcut, type Subject } from "./shortcuts";

export const FAVOURITES = ["favourites"] as const;
export const RECENTS = ["recents"] as const;

const favouritesQuery = queryOptions({
  queryKey: FAVOURITES,
  queryFn: async () => (await answer(api.GET("/api/favourites"))).items.filter(isKnown),
});

export function useFavourites(enabled = true) {
  return useQuery({ ...favouritesQuery, enabled });
}

export function useIsStarred(subject: Subject): boolean {
  const { data } = useQuery({ ...favouritesQuery, select: (items) => items.some((item) => isSame(item, subject)) });
  return data ?? false;
}

/** Favourites of one kind, for a list that marks them. */
export function useStarred(kind: Kind): ReadonlySet<string> {
  const { data } = useQuery(favouritesQuery);
  return useMemo(() => new Set(data?.filter((item) => item.kind === kind).map(({ id }) => id)), [data, kind]);
}

export function useRecents(enabled = true) {
  return useQuery({
    queryKey: RECENTS,
    queryFn: async () => (await answer(api.GET("/api/recents"))).items.filter(isKnown),
    enabled,
  });
}

/** Stars an item or removes its star; shown before the server has answered. */
export function useStar(subject: Subject, title: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (starred: boolean) => {
      const params = { params: { path: subject } };
      await answer(starred ? api.PUT("/api/favourites/{kind}/{id}", params) : api.DELETE("/api/favourites/{kind}/{id}", params));
    },
    onMutate: async (starred) => {
      await client.cancelQueries({ queryKey: FAVOURITES });
      const before = client.getQueryData<Shortcut[]>(FAVOURITES);
      const others = before?.filter((item) => !isSame(item, subject)) ?? [];
      client.setQueryData(FAVOURITES, starred ? [{ ...subject, title, at: new Date().toISOString() }, ...others] : others);
      return before;
    },
    onError: (fault, _, before) => {
      client.setQueryData(FAVOURITES, before);
      noticeFault(fault);
    },
    onSettled: () => client.invalidateQueries({ queryKey: FAVOURITES }),
  });
}

/** Notes that an item was opened. What fails is forgotten: the item is open all the same. */
export function useOpened(subject: Subject | undefined): void {
  const client = useQueryClient();
  const { kind, id } = subject ?? {};
  useEffect(() => {
    if (!kind || !id) return;
    void answer(api.PUT("/api/recents/{kind}/{id}", { params: { path: { kind, id } } }))
      .then(() => client.invalidateQueries({ queryKey: RECENTS }))
      .catch(() => undefined);
  }, [client, kind, id]);
}
