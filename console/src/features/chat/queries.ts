/** API queries for conversations, and for what a prompt needs to know. */

import { keepPreviousData, skipToken, useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { useLive } from "@/api/live";
import { useEndless } from "@/ui/endless";
import { fetchFileText, type VersionText } from "@/ui/passage/queries";
import { REFERENCE_TYPES, type ReferenceType } from "@/ui/turns/shapes";

import {
  deleteConversation, getConversation, getModel, listConversations, listModels, renameConversation, type Conversation, type Source,
} from "./api";
import { CONVERSATIONS, LISTS, one } from "./keys";

export type Found = Schemas["SearchResult"] & { type: ReferenceType };
export type Usage = Schemas["Usage"];

const LOOK_AGAIN = 30_000;
/** Polling interval for an answer whose stream can't be read. */
const SOON = 2_000;

export function useConversations() {
  return useEndless(LISTS, listConversations);
}

/** A conversation; polled while it has a running answer without a stream, and while live updates are off. */
export function useConversation(id: string | undefined, watches: boolean) {
  const live = useLive();
  return useQuery({
    queryKey: one(id ?? ""),
    queryFn: () => getConversation(id ?? ""),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => {
      if (state.status === "error") return false;
      if (watches && state.data?.turns.some((turn) => turn.state === "running")) return SOON;
      return live ? false : LOOK_AGAIN;
    },
  });
}

/** After an answer, the conversation, the order of the list and the usage have changed. */
export async function refetchAnswered(client: QueryClient, id: string): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: one(id) }),
    client.invalidateQueries({ queryKey: LISTS }),
    client.invalidateQueries({ queryKey: ["usage"] }),
  ]);
}

export function useRename(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (title: string) => renameConversation(id, title),
    onSuccess: ({ title }) => {
      client.setQueryData<Conversation>(one(id), (now) => now && { ...now, title });
      return client.invalidateQueries({ queryKey: LISTS });
    },
  });
}

export function useDelete(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => deleteConversation(id),
    onSuccess: () => {
      client.removeQueries({ queryKey: one(id) });
      return client.invalidateQueries({ queryKey: CONVERSATIONS });
    },
  });
}

/** Refetches a conversation whose shares have changed, and its mark in the list. */
export function useRefetchConversation(id = ""): () => void {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: one(id) });
    void client.invalidateQueries({ queryKey: LISTS });
  };
}

export function useModel() {
  return useQuery({ queryKey: ["model"], queryFn: getModel, staleTime: 60_000 });
}

/** The models that a prompt can name. */
export function useModels() {
  return useQuery({ queryKey: ["models"], queryFn: listModels, staleTime: 60_000 });
}

export function useUsage() {
  return useQuery({ queryKey: ["usage"], queryFn: () => answer(api.GET("/api/usage")), refetchInterval: 60_000 });
}

const FEW = 8;

/** Notes, files and entities to attach, as you type. */
export function useAttachable(q: string, enabled: boolean) {
  return useQuery({
    queryKey: ["search", "attachable", q],
    queryFn: async () => (await answer(api.GET("/api/search", { params: { query: { q, types: [...REFERENCE_TYPES], limit: FEW } } }))).items.filter(isAttachable),
    enabled: enabled && q !== "",
    placeholderData: keepPreviousData,
  });
}

function isAttachable(found: Schemas["SearchResult"]): found is Found {
  return REFERENCE_TYPES.some((type) => type === found.type);
}

/** The text that was quoted: of that version for a file, as it is now for a note. */
export function useSourceText(source: Source | null) {
  return useQuery({
    queryKey: ["source", source],
    queryFn: source ? (): Promise<VersionText> => (source.type === "note" ? noteText(source.id) : fetchFileText(source.id, source.version)) : skipToken,
    staleTime: 0,
  });
}

async function noteText(id: string): Promise<VersionText> {
  const note = await answer(api.GET("/api/notes/{id}", { params: { path: { id } } }));
  return { text: note.body, version: note.version };
}
