/** API queries for notes and their shares. */

import { useMutation, useQuery, useQueryClient, type InfiniteData, type QueryClient } from "@tanstack/react-query";
import { useMemo } from "react";

import { answer, api, type Schemas } from "@/api/client";
import { useLive } from "@/api/live";
import { outliving } from "@/api/outliving";
import { t } from "@/i18n";
import { useEndless } from "@/ui/endless";
import type { Desk } from "@/ui/writing/writing";

import type { Filters } from "./filters";
import { LISTS, one } from "./keys";
import { itemOf, NOTES, type Note, type NoteText } from "./text";

type Page = Schemas["Page_NoteItem_"];

const LOOK_AGAIN = 30_000;

export function useNotes({ show, visibility, tag }: Filters) {
  const by = {
    all: {},
    mine: { owner: "me" },
    shared: { shared: "1" },
    company: { scope: "org" },
  } as const;
  return useEndless([...LISTS, { show, visibility, tag }], (cursor) =>
    answer(api.GET("/api/notes", { params: { query: { cursor, visibility, tag, ...by[show] } } })),
  );
}

/** A note; while changes aren't told as they happen, refetched at intervals: others edit, too. */
export function useNote(id: string, enabled: boolean) {
  const live = useLive();
  return useQuery({
    queryKey: one(id),
    queryFn: () => fetchNote(id),
    enabled,
    refetchInterval: (query) => (live || query.state.status === "error" ? false : LOOK_AGAIN),
  });
}

const fetchNote = (id: string): Promise<Note> => answer(api.GET("/api/notes/{id}", { params: { path: { id } } }));

/** API calls of an editing session, and cache updates after a save. */
export function useDesk(): Desk<NoteText> {
  const client = useQueryClient();
  return useMemo(
    () => ({
      manner: NOTES,
      untitled: t("writing.untitled"),
      fetch: fetchNote,
      create: (text, key) => answer(api.POST("/api/notes", { body: text, params: { header: { "Idempotency-Key": key } }, ...outliving(text) })),
      update: (id, change, version, key) =>
        answer(api.PUT("/api/notes/{id}", { params: { path: { id }, header: { "If-Match": `"${version}"`, "Idempotency-Key": key } }, body: change, ...outliving(change) })),
      saved: (note: Note, wasNew) => remember(client, note, wasNew),
    }),
    [client],
  );
}

function remember(client: QueryClient, note: Note, wasNew: boolean): void {
  client.setQueryData(one(note.id), note);
  client.setQueriesData<InfiniteData<Page>>({ queryKey: LISTS }, (lists) => lists && {
    ...lists,
    pages: lists.pages.map((page) => ({
      ...page, items: page.items.map((item) => (item.id === note.id ? itemOf(note) : item)),
    })),
  });
  void client.invalidateQueries({ queryKey: ["notes", "recent"] });
  if (wasNew) void client.invalidateQueries({ queryKey: LISTS });
}

export function useDeleteNote(note: Note) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (version: number) =>
      answer(api.DELETE("/api/notes/{id}", { params: { path: { id: note.id }, header: { "If-Match": `"${version}"` } } })),
    onSuccess: () => {
      client.removeQueries({ queryKey: one(note.id) });
      return client.invalidateQueries({ queryKey: ["notes"] });
    },
    onError: () => client.invalidateQueries({ queryKey: one(note.id) }),
  });
}

/** Refetches a note whose shares have changed. */
export function useRefetchNote(id = ""): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: one(id) });
}
