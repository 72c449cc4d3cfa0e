/** The turns to show: those on the server, and those of this tab that the server hasn't returned yet. */

import type { Turn } from "../api";
import type { Asked } from "../question";
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

function heardOf({ answer }: Snapshot): Pick<Turn, "content" | "state" | "citations" | "steps" | "model" | "executor" | "simulated" | "error" | "usage" | "finish_reason"> {
  return {
    content: answer.text,
    state: stateOf(answer),
    citations: [...answer.citations],
    steps: [...answer.steps],
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
