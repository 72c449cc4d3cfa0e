/** The versions of a thing of the repository, newest first: of files and documents alike. */

import { useInfiniteQuery } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";

export type Version = Schemas["Version"];

/** Page after page; `newest` is the version there is now, so that another one brings another list. */
export function useVersions(id: string, newest: number) {
  return useInfiniteQuery({
    queryKey: ["versions", id, newest],
    queryFn: ({ pageParam }) => answer(api.GET("/api/repo-obj/{id}", { params: { path: { id }, query: { cursor: pageParam } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: ({ pages }) => pages.flatMap((page) => page.versions),
  });
}
