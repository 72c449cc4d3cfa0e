/** Versions of a file or document, newest first. */

import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";

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

/** Names a version, or removes its name. */
export function useNameVersion(id: string, number: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string | null) =>
      answer(api.PATCH("/api/repo-obj/{id}/versions/{number}", { params: { path: { id, number: String(number) } }, body: { name } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["versions", id] }),
  });
}
