/** The shapes of conversations and answers, and the requests for them. */

import { answer, api, type Schemas } from "@/api/client";
import type { ShareRequest } from "@/ui/sharing/people/shares";

export interface TextPart {
  type: "text";
  text: string;
}

export interface ImagePart {
  type: "image_url";
  image_url: { url: string };
}

export interface ObjectPart {
  type: "object";
  object_id: string;
  version?: number | null;
}

export interface NotePart {
  type: "note";
  note_id: string;
}

export type Part = TextPart | ImagePart | ObjectPart | NotePart;
export type Content = string | Part[];

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

export const ARTIFACT_KINDS = ["document", "table", "text", "link", "image"] as const;

/** A result that is a thing of its own; some have more keys than these. */
export interface Artifact {
  kind: (typeof ARTIFACT_KINDS)[number];
  title: string;
  summary?: string | null;
  content_type?: string | null;
  object_id?: string | null;
  version_id?: string | null;
  note_id?: string | null;
  url?: string | null;
  text?: string | null;
  columns?: string[] | null;
  rows?: unknown[][] | null;
}

export interface Reported {
  code?: string;
  message?: string;
  key?: string | null;
  params?: Record<string, string | number> | null;
}

export interface Step {
  /** Absent in stored answers. */
  call?: string;
  tool: string;
  arguments: unknown;
  /** Absent while the tool runs. */
  result?: unknown;
  artifact?: Artifact | null;
  error?: Reported | string | null;
}

export type TokenUsage = Schemas["TokenUsage"];
export type ConversationItem = Schemas["ConversationItem"];
export type Model = Schemas["ModelReport"];

/** The name of the model that makes up its answers. */
export const SIMULATED = "simulated";

/** The parts, citations and steps of a turn are objects to the server's conversations: their shapes are those above. */
export interface Turn extends Omit<Schemas["Turn"], "content" | "citations" | "steps" | "error"> {
  content: Content;
  citations?: Citation[] | null;
  steps?: Step[] | null;
  error?: Reported | null;
  simulated?: boolean | null;
  finish_reason?: string | null;
}

export interface Conversation extends Omit<Schemas["Conversation"], "turns"> {
  turns: Turn[];
}

const at = (id: string) => ({ params: { path: { id } } });

export const listConversations = (cursor?: string) => answer(api.GET("/api/conversations", { params: { query: { cursor } } }));
export const getConversation = async (id: string) => (await answer(api.GET("/api/conversations/{id}", at(id)))) as Conversation;
export const createConversation = () => answer(api.POST("/api/conversations", { body: {} }));
export const renameConversation = (id: string, title: string) => answer(api.PATCH("/api/conversations/{id}", { ...at(id), body: { title } }));
export const deleteConversation = (id: string) => answer(api.DELETE("/api/conversations/{id}", at(id)));
export const shareConversation = (id: string, { user_id, permission }: ShareRequest) =>
  answer(api.POST("/api/conversations/{id}/share", { ...at(id), body: { user_id, permission: permission as Schemas["ConversationShare"]["permission"] } }));
export const getModel = () => answer(api.GET("/api/ai/model"));

export const stopAnswer = (id: string) => answer(api.DELETE("/api/ai/chat/stream/{id}", at(id)));
