/** Jobs that answer a prompt, parsed from their data. */

import { beforeAll, expect, test } from "vitest";

import english from "../../../../teamspace/catalogs/en.json";
import { flat, speak } from "@/i18n";

import { canContinue, endingWords, sameRequest, turnOf } from "./turns";

beforeAll(() => speak("en", flat(english)));

const NOTE = { kind: "text", title: "Lunch", note_id: "n1" };
const RESULT = {
  text: "Done.", model: "simulated", finish_reason: "stop", usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  steps: [
    { tool: "create_note", arguments: { title: "Lunch" }, artifact: NOTE },
    { tool: "read_note", arguments: {}, error: { code: "not_found", message: "There is no such note." } },
    { tool: "search", arguments: { q: "x" }, result: [1, 2] },
    "not a step",
  ],
};
const job = (input: unknown, result: unknown = null, kind = "ai.agent") => ({ id: "j1", kind, input: input as Record<string, never>, result });

test("a run has its prompt, its steps and its answer", () => {
  const run = turnOf(job({ prompt: "Create a note.", conversation_id: "c1" }, RESULT));
  expect(run).toMatchObject({ kind: "ai.agent", asked: { prompt: "Create a note." }, conversationId: "c1" });
  expect(run?.steps.map(({ tool, artifact, error }) => [tool, artifact, error])).toEqual([
    ["create_note", NOTE, undefined],
    ["read_note", undefined, { code: "not_found", message: "There is no such note." }],
    ["search", undefined, undefined],
  ]);
  expect(run?.answer).toMatchObject({ text: "Done.", finishReason: "stop", usage: { total: 5 } });
});

test("a run without an answer yet has its prompt and its steps so far", () => {
  const running = { ...job({ prompt: "Go." }), steps: RESULT.steps.slice(2) };
  expect(turnOf(running)).toMatchObject({ asked: { prompt: "Go." }, steps: [{ tool: "search" }], answer: undefined });
});

test("an answer that was regenerated has no prompt of its own", () => {
  expect(turnOf(job({ conversation_id: "c1" }, { text: "Hi" }, "ai.turn"))).toMatchObject({ kind: "ai.turn", asked: { prompt: "" }, answer: { text: "Hi" } });
});

test("other jobs are no turns", () => {
  expect(turnOf(job({ prompt: "Hello" }, { text: "Hi" }, "ai.chat"))).toBeNull();
});

test("every ending has words", () => {
  expect(["stop", "length", "tool_limit", "quota", "stopped", "refused"].map(endingWords)).toEqual([
    "Complete.", "The answer was cut off at the maximum length.", "Stopped: too many rounds or tool calls.", "Stopped: the quota is used up.",
    "Stopped by a person.", "Ended by the model: refused",
  ]);
});

test("a run that failed, was stopped or had no quota left can be continued", () => {
  expect(canContinue({ ...job({}), state: "failed" })).toBe(true);
  for (const reason of ["quota", "stopped"]) {
    expect(canContinue({ ...job({}, { ...RESULT, finish_reason: reason }), state: "succeeded" })).toBe(true);
  }
  expect(canContinue({ ...job({}, RESULT), state: "succeeded" })).toBe(false);
  expect(canContinue({ ...job({}, null, "ai.turn"), state: "failed" })).toBe(false);
});

test("a continued run asks the same; in a conversation, its prompt is answered again", () => {
  expect(sameRequest(job({ prompt: "Go.", tools: ["search"] }))).toEqual({ prompt: "Go.", tools: ["search"] });
  expect(sameRequest(job({ prompt: "Go.", conversation_id: "c1" }))).toEqual({ conversation_id: "c1", regenerate: "j1" });
});
