/** What a person asks, and the request that it becomes. */

import type { Refusal } from "@/api/client";
import { idOf, partsOf } from "@/ui/turns/content";
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

/** Who answers, if not who would by default. */
export interface Answerer {
  executor?: string;
  model?: string;
}

export interface Question extends Asked, Answerer {
  /** The answer whose prompt is answered again. */
  regenerate?: string;
  /** The run of an agent that failed: it continues after its last step. */
  resumeFrom?: string;
  tools: boolean;
  /** Restored in the composer if the prompt is refused. */
  draft?: Draft;
}

export const pathOf = ({ tools }: Question): string => (tools ? AGENT : CHAT);

export function bodyOf(conversationId: string, { content, parentId, regenerate, resumeFrom, executor, model }: Question): object {
  const way = { conversation_id: conversationId, ...(executor ? { executor } : {}), ...(model ? { model } : {}) };
  if (resumeFrom) return { ...way, resume_from: resumeFrom };
  return regenerate ? { ...way, regenerate } : { ...way, prompt: content, parent_id: parentId };
}

/** The title of what a prompt referred to, if that is why it was refused. */
export function refusedTitle({ problem }: Refusal, { content, draft }: Asked & Pick<Question, "draft">): string | undefined {
  const place = /^\/prompt\/(\d+)$/.exec(problem.errors?.[0]?.pointer ?? "")?.[1];
  const part = place === undefined ? undefined : partsOf(content ?? "")[Number(place)];
  return part && draft?.references.find(({ id }) => id === idOf(part))?.title;
}
