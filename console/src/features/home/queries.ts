/** API queries for the home screen. */

import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";

import { isKnown } from "./activity";
import { ACTIVITY, FILES, MENTIONED, NOTES } from "./keys";

const RECENT = 6;

export type NoteItem = Schemas["NoteItem"];
export type FileItem = Schemas["ObjectItem"];

export interface News {
  notes: NoteItem[];
  /** Includes documents, but not what's shared with the user. */
  files: FileItem[];
  shared: FileItem[];
}

/** One query for everything, so that the layout doesn't shift. Refetched with notes and files. */
export function useNews(ofTheTeam: boolean) {
  const notes = useQuery({
    queryKey: NOTES,
    queryFn: () => answer(api.GET("/api/notes", { params: { query: { limit: RECENT } } })),
  });
  const files = useQuery({
    queryKey: [...FILES, ofTheTeam],
    queryFn: () => newsOfFiles(ofTheTeam),
  });
  return {
    isPending: notes.isPending || files.isPending,
    isError: notes.isLoadingError || files.isLoadingError,
    error: notes.error ?? files.error,
    data: { notes: notes.data?.items ?? [], files: files.data?.files ?? [], shared: files.data?.shared ?? [] } satisfies News,
    refetch: () => Promise.all([notes.refetch(), files.refetch()]),
  };
}

async function newsOfFiles(ofTheTeam: boolean): Promise<Omit<News, "notes">> {
  const [files, shared] = await Promise.all([
    ofTheTeam ? answer(api.GET("/api/repo", { params: { query: { limit: RECENT } } })) : { items: [] },
    answer(api.GET("/api/repo", { params: { query: { limit: RECENT, shared: "1" } } })),
  ]);
  const ids = new Set(shared.items.map(({ id }) => id));
  return { files: files.items.filter(({ id }) => !ids.has(id)), shared: shared.items };
}

const DONE = 6;
/** Pages without anything that this person can read, one after the other, before the list ends. */
const EMPTY_PAGES = 5;

export function useActivity() {
  return useInfiniteQuery({
    queryKey: ACTIVITY,
    queryFn: ({ pageParam }) => nextActivity(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

/** A page can be empty though there is more. */
async function nextActivity(from: string | undefined) {
  let cursor = from;
  for (let pages = 1; ; pages++) {
    const page = await answer(api.GET("/api/activity", { params: { query: { limit: DONE, ...(cursor ? { cursor } : {}) } } }));
    const items = page.items.filter(isKnown);
    if (items.length > 0 || !page.next_cursor || pages === EMPTY_PAGES) return { items, next_cursor: page.next_cursor };
    cursor = page.next_cursor;
  }
}

const MENTIONS = 5;

export function useMentions() {
  return useQuery({
    queryKey: MENTIONED,
    queryFn: async () => (await answer(api.GET("/api/mentions", { params: { query: { limit: MENTIONS } } }))).items,
  });
}

export function useSeed() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => answer(api.POST("/api/admin/seed")),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["files"] });
      return client.invalidateQueries({ queryKey: ["notes"] });
    },
  });
}
