/** API queries for files, except uploads. */

import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { useLive } from "@/api/live";
import { put } from "@/api/upload";
import { byName } from "@/i18n";
import type { Version } from "@/ui/versions/queries";
import type { Visibility } from "@/ui/writing/text";

import { FILES, LISTS, one } from "./keys";
import type { Place } from "./place";

export type FileItem = Schemas["ObjectItem"];
export type FileObject = Schemas["RepositoryObject"];
type Listing = Schemas["ObjectListing"];

/** Markdown files are documents, too. */
const DOCUMENTS = ["documents"] as const;
const PAGE = 100;
const SOON = 3_000;

/** A folder, paged; shared files are newest first. */
export function useFolder({ folder, show }: Place) {
  const query = show === "shared" ? ({ shared: "1" } as const) : ({ prefix: folder, delimiter: "/" } as const);
  return useInfiniteQuery({
    queryKey: [...LISTS, query],
    queryFn: ({ pageParam }): Promise<Listing> =>
      answer(api.GET("/api/repo", { params: { query: { ...query, cursor: pageParam, limit: PAGE } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: ({ pages }) => inOrder(pages, show),
  });
}

/**
 * The server sorts by bytes, like S3, so that it can page. Sorted by name only when the
 * whole folder is loaded: otherwise later pages would insert rows while you look.
 */
export function inOrder(pages: readonly Listing[], show: Place["show"]): Pick<Listing, "folders" | "items"> {
  const folders = pages.flatMap((page) => page.folders);
  const items = pages.flatMap((page) => page.items);
  if (show === "shared" || pages.at(-1)?.next_cursor) return { folders, items };
  return { folders: folders.sort(byName), items: items.sort((one, other) => byName(one.key, other.key)) };
}

/** A file; refetched while it's being indexed, unless changes are told as they happen. */
export function useFile(id: string) {
  const live = useLive();
  return useQuery({
    queryKey: one(id),
    queryFn: (): Promise<FileObject> => answer(api.GET("/api/repo-obj/{id}", { params: { path: { id } } })),
    refetchInterval: ({ state }) => (!live && state.data?.text_state === "pending" ? SOON : false),
  });
}

export async function fetchBytes(id: string, version: number): Promise<Blob> {
  const { data } = await api.GET("/api/repo-obj/{id}/content", { params: { path: { id }, query: { version } }, parseAs: "blob" });
  return data as Blob;
}

/** A version never changes, so its content doesn't go stale. */
export function useBytes(id: string, version: number, enabled: boolean) {
  return useQuery({
    queryKey: [...one(id), "bytes", version],
    queryFn: () => fetchBytes(id, version),
    enabled,
    staleTime: Infinity,
    gcTime: 60_000,
  });
}

export function useSetVisibility(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (visibility: Visibility) =>
      answer(api.POST("/api/repo-obj/{id}/visibility", { params: { path: { id } }, body: { visibility } })),
    onSuccess: () => client.invalidateQueries({ queryKey: FILES }),
  });
}

export function useDeleteFile({ id, version }: FileItem) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      answer(api.DELETE("/api/repo-obj/{id}", { params: { path: { id }, header: { "If-Match": `"${version}"` } } })),
    onSuccess: () => {
      client.removeQueries({ queryKey: one(id) });
      void client.invalidateQueries({ queryKey: DOCUMENTS });
      return client.invalidateQueries({ queryKey: LISTS });
    },
    onError: () => client.invalidateQueries({ queryKey: one(id) }),
  });
}

/** Restores an old version as the latest, unless someone saved in between. */
export function useRestore(file: FileObject) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (old: Version) => {
      const body = await fetchBytes(file.id, old.number);
      const headers = { "content-type": old.content_type, "if-match": `"${file.version}"` };
      return put(file.key, body, { headers, query: { filename: file.filename } });
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: DOCUMENTS });
      return client.invalidateQueries({ queryKey: FILES });
    },
  });
}
