/** Parses prompts and answers from a job's data; other types of jobs have other data. */

import type { Content, Part } from "@/ui/turns/shapes";

export interface Said {
  role: string;
  content: string;
}

export interface ChatInput {
  prompt: Content;
  system?: string;
  messages: Said[];
  executor?: string;
}

export interface ChatResult {
  text: string;
  model: string;
  finishReason: string;
  usage?: { prompt: number; answer: number; total: number };
}

type Fields = Record<string, unknown>;

export const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
export const textOf = (value: unknown): string | undefined => (typeof value === "string" && value ? value : undefined);
const countOf = (value: unknown): number => (typeof value === "number" ? value : 0);

export function chatInputOf(input: unknown): ChatInput | null {
  if (!isObject(input)) return null;
  const prompt = promptOf(input.prompt);
  if (prompt === undefined) return null;
  const messages = Array.isArray(input.messages) ? input.messages.filter(isSaid) : [];
  return { prompt, messages, system: textOf(input.system), executor: textOf(input.executor) };
}

/** A text, or the parts that are known. */
function promptOf(prompt: unknown): Content | undefined {
  if (typeof prompt === "string") return prompt;
  return Array.isArray(prompt) ? prompt.filter(isPart) : undefined;
}

function isPart(value: unknown): value is Part {
  if (!isObject(value)) return false;
  const { type, text, image_url: image, object_id: object, note_id: note, entity_id: entity } = value;
  if (type === "image_url") return isObject(image) && typeof image.url === "string";
  const named = { text, object, note, entity }[String(type)];
  return typeof named === "string";
}

function isSaid(value: unknown): value is Said {
  return isObject(value) && typeof value.role === "string" && typeof value.content === "string";
}

export function chatResultOf(result: unknown): ChatResult | null {
  if (!isObject(result) || typeof result.text !== "string") return null;
  const { usage } = result;
  return {
    text: result.text,
    model: textOf(result.model) ?? "",
    finishReason: textOf(result.finish_reason) ?? "stop",
    usage: isObject(usage)
      ? { prompt: countOf(usage.prompt_tokens), answer: countOf(usage.completion_tokens), total: countOf(usage.total_tokens) }
      : undefined,
  };
}
