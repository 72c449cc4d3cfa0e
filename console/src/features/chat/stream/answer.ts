/** The state of an answer, reduced from its events. Repeated events count once; early ones wait for those before them. */

import type { Reported, Step } from "@/ui/turns/shapes";

import type { Citation, TokenUsage } from "../api";
import type { AnswerEvent, Numbered } from "./events";

export interface Answer {
  id?: string;
  model?: string;
  executor?: string;
  simulated?: boolean;
  text: string;
  citations: readonly Citation[];
  steps: readonly Step[];
  usage?: TokenUsage;
  finishReason?: string;
  error?: Reported;
  isOver: boolean;
  /** The number of the last applied event. */
  last: number;
  /** Events whose predecessors are missing. */
  early: ReadonlyMap<number, AnswerEvent>;
}

export const NOTHING: Answer = { text: "", citations: [], steps: [], isOver: false, last: 0, early: new Map() };

export function heard(answer: Answer, { stream, number, event }: Numbered): Answer {
  if (answer.isOver || number <= answer.last || (answer.id !== undefined && answer.id !== stream)) return answer;
  const known = { ...answer, id: stream };
  // The last event has the complete answer.
  if (isLast(event)) return { ...applied(known, event), last: number, early: new Map() };
  if (number > answer.last + 1) return { ...known, early: new Map(answer.early).set(number, event) };
  return caughtUp({ ...applied(known, event), last: number });
}

const isLast = (event: AnswerEvent): boolean => event.type === "done" || event.type === "error";

function caughtUp(answer: Answer): Answer {
  const next = answer.early.get(answer.last + 1);
  if (!next) return answer;
  const early = new Map(answer.early);
  early.delete(answer.last + 1);
  return caughtUp({ ...applied(answer, next), last: answer.last + 1, early });
}

function applied(answer: Answer, event: AnswerEvent): Answer {
  switch (event.type) {
    case "start":
      // A server that takes over sends the text so far, with its citations.
      return {
        ...answer, model: event.model, executor: event.executor, simulated: event.simulated,
        text: event.text ?? "", citations: event.citations ?? [],
      };
    case "delta":
      return { ...answer, text: answer.text + event.text };
    case "citation":
      return { ...answer, citations: withCitation(answer.citations, event) };
    case "tool_call":
      return { ...answer, steps: withStep(answer.steps, { call: event.call, tool: event.tool, arguments: event.arguments }) };
    case "tool_result":
      return { ...answer, steps: answer.steps.map((step) => (step.call === event.call ? resultOf(step, event) : step)) };
    case "done":
      return {
        ...answer, text: event.text, citations: event.citations ?? answer.citations, usage: event.usage,
        finishReason: event.finish_reason, isOver: true,
      };
    case "error":
      return { ...answer, error: event, isOver: true };
    default:
      return answer;
  }
}

/** A call that another server repeats keeps its place. */
function withStep(steps: readonly Step[], made: Step): readonly Step[] {
  return steps.some(({ call }) => call === made.call) ? steps.map((step) => (step.call === made.call ? made : step)) : [...steps, made];
}

function withCitation(citations: readonly Citation[], { number, source, start, end, quote, verified, reason }: Citation): readonly Citation[] {
  return [...citations, { number, source, start, end, quote, verified, reason }];
}

function resultOf(step: Step, { ok, summary, artifact, error }: Extract<AnswerEvent, { type: "tool_result" }>): Step {
  return { ...step, result: summary ?? "", artifact, error: ok ? undefined : (error ?? summary ?? "") };
}
