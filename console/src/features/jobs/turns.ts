/** Jobs that answer a prompt, as they are shown: the prompt, the steps of an agent, and the answer. */

import { t } from "@/i18n";
import type { Artifact, Content, Step } from "@/ui/turns/shapes";

import type { Job } from "./queries";
import { chatInputOf, chatResultOf, isObject, textOf, type ChatInput, type ChatResult } from "./shapes";

const KINDS = ["ai.agent", "ai.turn"] as const;
const ENDINGS = ["length", "quota", "stop", "stopped", "tool_limit"] as const;

type Data = Pick<Job, "kind" | "input" | "result" | "steps">;

export interface TurnView {
  kind: (typeof KINDS)[number];
  asked: ChatInput;
  conversationId?: string;
  steps: Step[];
  /** Absent until it has succeeded. */
  answer?: ChatResult;
}

export const turnKindOf = (kind: string): TurnView["kind"] | undefined => KINDS.find((name) => name === kind);

/** Null for jobs of other kinds. */
export function turnOf({ kind, input, result, steps: soFar }: Data): TurnView | null {
  const known = turnKindOf(kind);
  if (!known) return null;
  const given = isObject(input) ? input : {};
  const steps: unknown[] = isObject(result) && Array.isArray(result.steps) ? result.steps : (soFar ?? []);
  return {
    kind: known,
    asked: chatInputOf({ prompt: "", ...given }) ?? { prompt: "", messages: [] },
    conversationId: textOf(given.conversation_id),
    steps: steps.flatMap(stepOf),
    answer: chatResultOf(result) ?? undefined,
  };
}

function stepOf(value: unknown): Step[] {
  if (!isObject(value) || typeof value.tool !== "string") return [];
  const { tool, arguments: given = {}, result, artifact, error } = value;
  return [{ tool, arguments: given, result, artifact: isArtifact(artifact) ? artifact : undefined, error: isError(error) ? error : undefined }];
}

function isArtifact(value: unknown): value is Artifact {
  return isObject(value) && typeof value.kind === "string" && typeof value.title === "string";
}

const isError = (value: unknown): value is Step["error"] => typeof value === "string" || isObject(value);

export function endingWords(reason: string): string {
  const known = ENDINGS.find((name) => name === reason);
  return known ? t(`jobs.ending.${known}`) : t("jobs.ending.other", { reason });
}

/** A run that can go on after its last step: one that failed, was stopped, or had no quota left. */
export function canContinue(job: Data & Pick<Job, "state">): boolean {
  const ending = turnOf(job)?.answer?.finishReason ?? "";
  return job.kind === "ai.agent" && (job.state === "failed" || ["quota", "stopped"].includes(ending));
}

export interface AgentRequest {
  prompt?: Content;
  system?: string;
  tools?: string[];
  max_rounds?: number;
  conversation_id?: string;
  regenerate?: string;
}

/** The same request once more. In a conversation, the prompt is already there: it is answered again. */
export function sameRequest({ id, input }: Pick<Job, "id" | "input">): AgentRequest {
  const { conversation_id: conversation, ...given } = (input ?? {}) as unknown as AgentRequest;
  if (!conversation) return given;
  return { ...given, prompt: undefined, conversation_id: conversation, regenerate: id };
}
