/** The turns to show: those on the server, and those of this tab that the server hasn't returned yet. */

import type { Turn } from "../api";
import type { Asked, Question } from "../question";
import type { Snapshot } from "../stream/answering";

/** Ids of a prompt and an answer until the server assigns theirs. */
export const ASKED = "asked";
export const PENDING = "pending";

export function shownTurns(turns: readonly Turn[], asked: Asked | undefined, now: Snapshot | undefined): readonly Turn[] {
  if (!now || now.refusal || now.isGone) return turns;
  const id = now.answer.id ?? PENDING;
  const stored = turns.find((turn) => turn.id === id);
  // The stored version of a finished answer wins.
  if (stored && stored.state !== "running") return turns;
  if (stored) return turns.map((turn) => (turn === stored ? { ...turn, ...heardOf(now) } : turn));
  if (!asked) return turns;
  const created_at = new Date().toISOString();
  const prompt: Turn[] = asked.content === undefined ? [] : [
    { id: ASKED, parent_id: asked.parentId, role: "user", content: asked.content, state: "done", created_at },
  ];
  return [...turns, ...prompt, { id, parent_id: prompt[0]?.id ?? asked.parentId, role: "assistant", created_at, ...heardOf(now) }];
}

const DAY = 24 * 60 * 60 * 1000;
/** The server keeps the steps of a run for a week. */
const RESUMABLE = 6 * DAY;

/** How an answer is asked for again. A person's own run that failed continues, so that nothing is done twice. */
export function againOf({ id, state, steps, created_at }: Turn, isOwn: boolean): Pick<Question, "regenerate" | "resumeFrom"> {
  const isResumable = isOwn && state === "failed" && Boolean(steps?.length) && Date.now() - Date.parse(created_at) < RESUMABLE;
  return isResumable ? { resumeFrom: id } : { regenerate: id };
}

function heardOf({ answer }: Snapshot): Pick<Turn, "content" | "state" | "citations" | "steps" | "model" | "executor" | "simulated" | "error" | "usage" | "finish_reason"> {
  return {
    content: answer.text,
    state: stateOf(answer),
    citations: [...answer.citations],
    steps: answer.steps.length > 0 ? [...answer.steps] : undefined,
    model: answer.model,
    executor: answer.executor,
    simulated: answer.simulated,
    error: answer.error,
    usage: answer.usage,
    finish_reason: answer.finishReason,
  };
}

function stateOf({ isOver, error, finishReason }: Snapshot["answer"]): Turn["state"] {
  if (!isOver) return "running";
  if (error) return "failed";
  return finishReason === "stopped" ? "stopped" : "done";
}
