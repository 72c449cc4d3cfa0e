/** What a person asks, and the request that it becomes. */

import type { Content } from "@/ui/turns/shapes";

import type { Draft } from "./drafts";

export const CHAT = "/api/ai/chat/stream";
const AGENT = "/api/agent";

/** The prompt, shown until the server returns its turn. */
export interface Asked {
  /** Absent if a prompt is answered again. */
  content?: Content;
  parentId: string | null;
}

export interface Question extends Asked {
  /** The answer whose prompt is answered again. */
  regenerate?: string;
  tools: boolean;
  executor?: string;
  /** Restored in the composer if the prompt is refused. */
  draft?: Draft;
}

export const pathOf = ({ tools }: Question): string => (tools ? AGENT : CHAT);

export function bodyOf(conversationId: string, { content, parentId, regenerate, executor }: Question): object {
  const way = { conversation_id: conversationId, ...(executor ? { executor } : {}) };
  return regenerate ? { ...way, regenerate } : { ...way, prompt: content, parent_id: parentId };
}
