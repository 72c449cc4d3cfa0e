/** API queries for documents. */

import { useMutation, useQuery, useQueryClient, type InfiniteData, type QueryClient } from "@tanstack/react-query";
import { useMemo } from "react";

import { answer, api, type Schemas } from "@/api/client";
import { useLive } from "@/api/live";
import { outliving } from "@/api/outliving";
import { randomKey } from "@/api/randomKey";
import { byName, t } from "@/i18n";
import { useEndless } from "@/ui/endless";
import { unlessOvertaken, type Desk } from "@/ui/writing/writing";

import { useAddress } from "./filters";
import { LISTS, one } from "./keys";
import { DOCUMENTS, type Document, type DocumentItem, type DocumentText } from "./text";

type Page = Schemas["Page_DocumentItem_"];

const LOOK_AGAIN = 30_000;

export function useDocuments(tag?: string) {
  return useEndless<DocumentItem>([...LISTS, { tag }], (cursor) => answer(api.GET("/api/documents", { params: { query: { cursor, tag } } })));
}

/** A document; while changes aren't told as they happen, refetched at intervals: others edit, too. */
export function useDocument(id: string, enabled = true) {
  const live = useLive();
  return useQuery({
    queryKey: one(id),
    queryFn: () => fetchDocument(id),
    enabled,
    refetchInterval: (query) => (live || query.state.status === "error" ? false : LOOK_AGAIN),
  });
}

/** An old version; never changes. */
export function useDocumentAt(id: string, version: number | undefined) {
  return useQuery({
    queryKey: [...one(id), "version", version],
    queryFn: () => fetchDocument(id, version),
    enabled: version !== undefined,
    staleTime: Infinity,
  });
}

const fetchDocument = (id: string, version?: number): Promise<Document> =>
  answer(api.GET("/api/documents/{id}", { params: { path: { id }, query: { version } } }));

const update = (id: string, change: Partial<DocumentText>, version: number, key: string): Promise<Document> =>
  answer(api.PUT("/api/documents/{id}", { params: { path: { id }, header: { "If-Match": `"${version}"`, "Idempotency-Key": key } }, body: change, ...outliving(change) }));

/** The access level isn't part of a version: it's set separately. */
async function setVisibility(id: string, visibility: DocumentText["visibility"], version: number, key: string): Promise<Document> {
  await answer(api.POST("/api/repo-obj/{id}/visibility", { params: { path: { id }, header: { "Idempotency-Key": key } }, body: { visibility } }));
  return unlessOvertaken(await fetchDocument(id), version);
}

/** Saves what has changed of a document. */
export function change(id: string, changed: Partial<DocumentText>, version: number, key: string): Promise<Document> {
  const { visibility, ...words } = changed;
  return visibility && Object.keys(words).length === 0 ? setVisibility(id, visibility, version, key) : update(id, changed, version, key);
}

/** API calls of an editing session, and cache updates after a save. */
export function useDesk(): Desk<DocumentText> {
  const client = useQueryClient();
  return useMemo(
    () => ({
      manner: DOCUMENTS,
      untitled: t("writing.untitled"),
      fetch: (id) => fetchDocument(id),
      create: (text, key) => answer(api.POST("/api/documents", { body: text, params: { header: { "Idempotency-Key": key } }, ...outliving(text) })),
      update: change,
      saved: (document: Document, wasNew) => remember(client, document, wasNew),
    }),
    [client],
  );
}

function remember(client: QueryClient, document: Document, wasNew: boolean): void {
  client.setQueryData(one(document.id), document);
  client.setQueriesData<InfiniteData<Page>>({ queryKey: LISTS }, (lists) => lists && {
    ...lists,
    pages: lists.pages.map((page) => ({
      ...page, items: page.items.map((item) => (item.id === document.id ? { ...item, ...itemOf(document) } : item)),
    })),
  });
  void client.invalidateQueries({ queryKey: ["files"] });
  if (wasNew) void client.invalidateQueries({ queryKey: LISTS });
}

function itemOf({ title, visibility, tags, version, size, updated_at }: Document): Partial<DocumentItem> {
  return { title, visibility, tags, version, size, updated_at };
}

export function useDeleteDocument(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (version: number) =>
      answer(api.DELETE("/api/documents/{id}", { params: { path: { id }, header: { "If-Match": `"${version}"` } } })),
    onSuccess: () => {
      client.removeQueries({ queryKey: one(id) });
      return Promise.all([client.invalidateQueries({ queryKey: LISTS }), client.invalidateQueries({ queryKey: ["files"] })]);
    },
    onError: () => client.invalidateQueries({ queryKey: one(id) }),
  });
}

/** Restores an old version as the latest, unless someone saved in between. */
export function useRestore(newest: Document) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ title, body }: Document) => update(newest.id, { title, body }, newest.version, randomKey()),
    onSuccess: (document) => remember(client, document, false),
    onError: () => client.invalidateQueries({ queryKey: one(newest.id) }),
  });
}

/** Tags of the loaded documents: the API has no list of tags. */
export function useKnownTags(): string[] {
  const documents = useDocuments(useAddress().tag);
  return [...new Set(documents.data?.flatMap((document) => document.tags))].sort(byName);
}
