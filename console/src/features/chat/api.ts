/** The shapes of conversations and answers, and the requests for them. */

import { answer, api } from "@/api/client";
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
  source: Source;
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

export interface TokenUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

export type TurnState = "done" | "running" | "failed" | "stopped";

export interface Turn {
  id: string;
  parent_id: string | null;
  role: "user" | "assistant";
  content: Content;
  state: TurnState;
  usage?: TokenUsage | null;
  citations?: Citation[] | null;
  steps?: Step[] | null;
  model?: string | null;
  executor?: string | null;
  simulated?: boolean | null;
  finish_reason?: string | null;
  error?: Reported | null;
  /** Who wrote a prompt. */
  author?: string | null;
  created_at: string;
}

export interface Grant {
  user_id: string;
  permission: "notes:read" | "notes:write";
}

interface Titled {
  id: string;
  /** Empty until the first prompt. */
  title: string;
  owner: string;
  created_at: string;
  updated_at: string;
}

export interface ConversationItem extends Titled {
  excerpt: string;
  shared: boolean;
}

export interface Conversation extends Titled {
  shared_with: Grant[];
  /** Of all branches, in the order of creation. */
  turns: Turn[];
}

export interface Model {
  model: string;
  simulated: boolean;
  executor?: string | null;
}

export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

type Call = <Answer>(path: string, init?: object) => Promise<{ data?: Answer; response: Response }>;
const untyped = api as unknown as Record<"GET" | "POST" | "PATCH" | "DELETE", Call>;
const at = (id: string): object => ({ params: { path: { id } } });

export const listConversations = (cursor?: string): Promise<Page<ConversationItem>> =>
  answer(untyped.GET<Page<ConversationItem>>("/api/conversations", { params: { query: { cursor } } }));
export const getConversation = (id: string): Promise<Conversation> => answer(untyped.GET<Conversation>("/api/conversations/{id}", at(id)));
export const createConversation = (title?: string): Promise<Conversation> =>
  answer(untyped.POST<Conversation>("/api/conversations", { body: title ? { title } : {} }));
export const renameConversation = (id: string, title: string): Promise<Conversation> =>
  answer(untyped.PATCH<Conversation>("/api/conversations/{id}", { ...at(id), body: { title } }));
export const deleteConversation = (id: string): Promise<unknown> => answer(untyped.DELETE("/api/conversations/{id}", at(id)));
export const shareConversation = (id: string, body: ShareRequest): Promise<{ items: Grant[] }> =>
  answer(untyped.POST<{ items: Grant[] }>("/api/conversations/{id}/share", { ...at(id), body }));
export const stopAnswer = (id: string): Promise<unknown> => answer(untyped.DELETE("/api/ai/chat/stream/{id}", at(id)));
export const getModel = (): Promise<Model> => answer(untyped.GET<Model>("/api/ai/model"));
