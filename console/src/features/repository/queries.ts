/** API queries for files, except uploads. */

import { useInfiniteQuery, useMutation, useQuery, useQueryClient, type InfiniteData, type QueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useSyncExternalStore } from "react";

import { answer, api, type Schemas } from "@/api/client";
import { useLive } from "@/api/live";
import { put } from "@/api/upload";
import { byName } from "@/i18n";
import type { Version } from "@/ui/versions/queries";
import type { Visibility } from "@/ui/writing/text";

import { FILES, FOLDERS, LISTS, one } from "./keys";
import type { Place } from "./place";

export type FileItem = Schemas["ObjectItem"];
export type FileObject = Schemas["RepositoryObject"];
type Listing = Schemas["ObjectListing"];

/** Markdown files are documents, too. */
const DOCUMENTS = ["documents"] as const;
const PAGE = 200;
/** Pages of a list that are fetched again after a change. */
const MOST_REFETCHED = 25;
/** Pages of a folder that are looked through for folders. */
const MOST_LOOKED_THROUGH = 5;
const SOON = 3_000;

export type FolderFacts = Schemas["FolderFacts"];

interface Contents extends Pick<Listing, "folders" | "items"> {
  facts: ReadonlyMap<string, FolderFacts>;
}

const listed = ({ folder, show }: Place) =>
  show === "shared" ? ({ shared: "1" } as const) : ({ prefix: folder, delimiter: "/", facts: "1" } as const);

/** A folder, paged in the order of keys; shared files are newest first. */
export function useFolder(place: Place) {
  const client = useQueryClient();
  const query = listed(place);
  const queryKey = [...LISTS, query];
  const loaded = client.getQueryData<InfiniteData<Listing>>(queryKey)?.pages.length ?? 0;
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }): Promise<Listing> =>
      answer(api.GET("/api/repo", { params: { query: { ...query, cursor: pageParam, limit: PAGE } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: together,
    // Every page would be fetched again after every change: a long list waits for a click.
    enabled: loaded <= MOST_REFETCHED,
  });
}

/** Loads page after page while they are wanted; returns what loads the next one all the same. */
export function useEager({ hasNextPage, isFetching, fetchNextPage }: ReturnType<typeof useFolder>, isWanted: boolean): () => void {
  const more = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  useEffect(() => {
    if (isWanted) more();
  }, [isWanted, more]);
  return more;
}

const together = ({ pages }: InfiniteData<Listing>): Contents => ({
  facts: new Map(pages.flatMap((page) => page.folder_facts ?? []).map((each) => [each.folder, each])),
  folders: pages.flatMap((page) => page.folders),
  items: pages.flatMap((page) => page.items),
});

/** Whether a long list, which isn't fetched again by itself, has changed; and what fetches it again from its beginning. */
export function useChangedList(place: Place): [boolean, () => void] {
  const client = useQueryClient();
  const queryKey = [...LISTS, listed(place)];
  const changed = useSyncExternalStore(
    (listener) => client.getQueryCache().subscribe(listener),
    () => {
      const state = client.getQueryState<InfiniteData<Listing>>(queryKey);
      return (state?.isInvalidated ?? false) && (state?.data?.pages.length ?? 0) > MOST_REFETCHED;
    },
  );
  return [changed, () => void client.resetQueries({ queryKey })];
}

/** Takes objects out of all lists at once, before the server is asked again. */
export function withoutFiles(client: QueryClient, ids: ReadonlySet<string>): void {
  client.setQueriesData<InfiniteData<Listing>>({ queryKey: LISTS }, (data) =>
    data && { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.filter(({ id }) => !ids.has(id)) })) },
  );
}

/** Folders in a folder, in natural order; `more` if it has too many entries to look through. */
export function useSubfolders(folder: string, enabled: boolean) {
  return useQuery({
    queryKey: [...FOLDERS, folder],
    queryFn: async ({ signal }) => {
      const folders: string[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MOST_LOOKED_THROUGH; page++) {
        const query = { prefix: folder, delimiter: "/", cursor, limit: PAGE } as const;
        const found = await answer(api.GET("/api/repo", { params: { query }, signal }));
        folders.push(...found.folders);
        cursor = found.next_cursor ?? undefined;
        if (cursor === undefined) break;
      }
      return { folders: folders.sort(byName), more: cursor !== undefined };
    },
    enabled,
  });
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

export type ContentAddress = Schemas["ContentAddress"];

/** An address of a version that an element loads, or the browser saves, without the person's token. */
export function fetchAddress(id: string, version: number): Promise<ContentAddress> {
  return answer(api.GET("/api/repo-obj/{id}/address", { params: { path: { id }, query: { version } } }));
}

/** All bytes of a version, or only the first. */
export async function fetchBytes(id: string, version: number, first?: number): Promise<Blob> {
  const headers = first === undefined ? undefined : { range: `bytes=0-${first - 1}` };
  const { data } = await api.GET("/api/repo-obj/{id}/content", { params: { path: { id }, query: { version } }, headers, parseAs: "blob" });
  return data as Blob;
}

/** A version never changes, so its content doesn't go stale. */
export function useBytes(id: string, version: number, enabled: boolean, first?: number) {
  return useQuery({
    queryKey: [...one(id), "bytes", version, first ?? "all"],
    queryFn: () => fetchBytes(id, version, first),
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
