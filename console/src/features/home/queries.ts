/** API queries for the home screen. */

import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { KINDS, type Subject } from "@/ui/shortcuts/shortcuts";

import { isKnown } from "./activity";
import { ACTIVITY, FILES, MENTIONED, NOTES, SHARED } from "./keys";
import { newestOfEach } from "./shared";

const RECENT = 6;

export type NoteItem = Schemas["NoteItem"];
export type FileItem = Schemas["ObjectItem"];

export interface News {
  notes: NoteItem[];
  /** Includes documents. */
  files: FileItem[];
}

/** What the team has; nothing for people without access to it. Refetched with notes and files. */
export function useNews(ofTheTeam: boolean) {
  const query = { params: { query: { limit: RECENT } } };
  const notes = useQuery({
    queryKey: [...NOTES, ofTheTeam],
    queryFn: async () => (ofTheTeam ? (await answer(api.GET("/api/notes", query))).items : []),
  });
  const files = useQuery({
    queryKey: [...FILES, ofTheTeam],
    queryFn: async () => (ofTheTeam ? (await answer(api.GET("/api/repo", query))).items : []),
  });
  return {
    isPending: notes.isPending || files.isPending,
    isError: notes.isLoadingError || files.isLoadingError,
    error: notes.error ?? files.error,
    data: { notes: notes.data ?? [], files: files.data ?? [] } satisfies News,
    refetch: () => Promise.all([notes.refetch(), files.refetch()]),
  };
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

export function useShared() {
  const found = useInfiniteQuery({
    queryKey: SHARED,
    queryFn: ({ pageParam }) => nextShared(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  return { ...found, items: newestOfEach((found.data?.pages ?? []).flatMap((page) => page.items)) };
}

const nextActivity = (from: string | undefined) =>
  nextFilled(from, async (query) => {
    const page = await answer(api.GET("/api/activity", { params: { query } }));
    return { ...page, items: page.items.filter(isKnown) };
  });

const nextShared = (from: string | undefined) =>
  nextFilled(from, async (query) => {
    const page = await answer(api.GET("/api/shared", { params: { query } }));
    return { ...page, items: page.items.filter(isSharedKind) };
  });

const isSharedKind = (item: Schemas["SharedItem"]): item is Schemas["SharedItem"] & Subject => KINDS.some((kind) => kind === item.kind);

interface Filtered<Item> {
  items: Item[];
  next_cursor?: string | null;
}

/** A page can be empty though there is more. */
async function nextFilled<Item>(from: string | undefined, get: (query: { limit: number; cursor?: string }) => Promise<Filtered<Item>>) {
  let cursor = from;
  for (let pages = 1; ; pages++) {
    const page = await get({ limit: DONE, ...(cursor ? { cursor } : {}) });
    if (page.items.length > 0 || !page.next_cursor || pages === EMPTY_PAGES) return page;
    cursor = page.next_cursor;
  }
}

const MENTIONS = 5;

export function useMentions() {
  return useInfiniteQuery({
    queryKey: MENTIONED,
    queryFn: ({ pageParam }) => answer(api.GET("/api/mentions", { params: { query: { limit: MENTIONS, cursor: pageParam } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
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
