/** Documents as the server has them: the only file here that knows addresses. */

import { useMutation, useQuery, useQueryClient, type InfiniteData, type QueryClient } from "@tanstack/react-query";
import { useMemo } from "react";

import { answer, api, type Schemas } from "@/api/client";
import { outliving } from "@/api/outliving";
import { t } from "@/i18n";
import { useEndless } from "@/ui/endless";
import type { Written } from "@/ui/writing/text";
import type { Desk } from "@/ui/writing/writing";

import { DOCUMENTS, type Document, type DocumentItem } from "./text";

type Page = Schemas["Page_DocumentItem_"];

const LISTS = ["documents", "list"] as const;
const one = (id: string) => ["documents", "one", id] as const;
const LOOK_AGAIN = 30_000;

export function useDocuments() {
  return useEndless<DocumentItem>(LISTS, (cursor) => answer(api.GET("/api/documents", { params: { query: { cursor } } })));
}

/** The document, looked at again now and then: others write too. */
export function useDocument(id: string, enabled = true) {
  return useQuery({
    queryKey: one(id),
    queryFn: () => fetchDocument(id),
    enabled,
    refetchInterval: (query) => (query.state.status === "error" ? false : LOOK_AGAIN),
  });
}

/** A document as it was; a version never changes. */
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

const update = (id: string, change: Partial<Written>, version: number): Promise<Document> =>
  answer(api.PUT("/api/documents/{id}", { params: { path: { id }, header: { "If-Match": `"${version}"` } }, body: change, ...outliving(change) }));

/** Who sees a document is no version of it: it is set by itself. */
async function setVisibility(id: string, visibility: Written["visibility"]): Promise<Document> {
  await answer(api.POST("/api/repo-obj/{id}/visibility", { params: { path: { id } }, body: { visibility } }));
  return fetchDocument(id);
}

/** What a document's writing asks of the server, and what becomes of the lists when it saved. */
export function useDesk(): Desk<Written> {
  const client = useQueryClient();
  return useMemo(
    () => ({
      manner: DOCUMENTS,
      untitled: t("writing.untitled"),
      fetch: (id) => fetchDocument(id),
      create: (text, key) => answer(api.POST("/api/documents", { body: text, params: { header: { "Idempotency-Key": key } }, ...outliving(text) })),
      update: (id, change, version) => {
        const { visibility, ...words } = change;
        return visibility && Object.keys(words).length === 0 ? setVisibility(id, visibility) : update(id, change, version);
      },
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

function itemOf({ title, visibility, version, size, updated_at }: Document): Partial<DocumentItem> {
  return { title, visibility, version, size, updated_at };
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

/** An old version once more, as the newest; only if nobody wrote in between. */
export function useRestore(newest: Document) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ title, body }: Document) => update(newest.id, { title, body }, newest.version),
    onSuccess: (document) => remember(client, document, false),
    onError: () => client.invalidateQueries({ queryKey: one(newest.id) }),
  });
}
