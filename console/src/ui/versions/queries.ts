/** Versions of a file or document, newest first. */

import { useInfiniteQuery } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";

export type Version = Schemas["Version"];

/** Paged; `newest` is the current version, so that a new one refetches the list. */
export function useVersions(id: string, newest: number) {
  return useInfiniteQuery({
    queryKey: ["versions", id, newest],
    queryFn: ({ pageParam }) => answer(api.GET("/api/repo-obj/{id}", { params: { path: { id }, query: { cursor: pageParam } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: ({ pages }) => pages.flatMap((page) => page.versions),
  });
}
