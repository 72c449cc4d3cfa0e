/** The shapes of conversations and answers, and the requests for them. */

import { answer, api, type Schemas } from "@/api/client";
import type { Content, Reported, Step } from "@/ui/turns/shapes";

export interface Source {
  type: "object" | "note";
  id: string;
  version?: number | null;
  version_id?: string | null;
  title: string;
}

export interface Citation {
  number: number;
  /** Null if there is no such source. */
  source: Source | null;
  /** Where the quote is in the text of that version. */
  start?: number | null;
  end?: number | null;
  quote: string;
  verified: boolean;
  /** Why it isn't verified. */
  reason?: string | null;
}

export type TokenUsage = Schemas["TokenUsage"];
export type ConversationItem = Schemas["ConversationItem"];
export type Model = Schemas["ModelReport"];

/** The schema leaves parts, citations and steps of a turn open: these are their types. */
export interface Turn extends Omit<Schemas["Turn"], "content" | "citations" | "steps" | "error"> {
  content: Content;
  citations?: Citation[] | null;
  steps?: Step[] | null;
  error?: Reported | null;
}

export interface Conversation extends Omit<Schemas["Conversation"], "turns"> {
  turns: Turn[];
}

const at = (id: string) => ({ params: { path: { id } } });

export const listConversations = (cursor?: string) => answer(api.GET("/api/conversations", { params: { query: { cursor } } }));
export const getConversation = async (id: string) => (await answer(api.GET("/api/conversations/{id}", at(id)))) as Conversation;
export const createConversation = (key: string) => answer(api.POST("/api/conversations", { body: {}, params: { header: { "Idempotency-Key": key } } }));
export const renameConversation = (id: string, title: string) => answer(api.PATCH("/api/conversations/{id}", { ...at(id), body: { title } }));
export const deleteConversation = (id: string) => answer(api.DELETE("/api/conversations/{id}", at(id)));
export const getModel = () => answer(api.GET("/api/ai/model"));
/** Stands for the model that answers if none is named. */
const DEFAULT_MODEL = "default";
export const listModels = async () => (await answer(api.GET("/v1/models"))).data.map(({ id }) => id).filter((id) => id !== DEFAULT_MODEL);

export const stopAnswer = (id: string) => answer(api.DELETE("/api/ai/chat/stream/{id}", at(id)));
