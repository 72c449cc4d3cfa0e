/** Parses prompts and answers from a job's data; other types of jobs have other data. */

export interface Said {
  role: string;
  content: string;
}

export interface ChatInput {
  prompt: string;
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

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value ? value : undefined);
const countOf = (value: unknown): number => (typeof value === "number" ? value : 0);

export function chatInputOf(input: unknown): ChatInput | null {
  if (!isObject(input)) return null;
  const prompt = promptOf(input.prompt);
  if (prompt === undefined) return null;
  const messages = Array.isArray(input.messages) ? input.messages.filter(isSaid) : [];
  return { prompt, messages, system: textOf(input.system), executor: textOf(input.executor) };
}

/** A text, or text parts. */
function promptOf(prompt: unknown): string | undefined {
  if (typeof prompt === "string") return prompt;
  if (!Array.isArray(prompt)) return undefined;
  return prompt.map((part: unknown) => (isObject(part) && textOf(part.text)) || "").join("\n");
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
