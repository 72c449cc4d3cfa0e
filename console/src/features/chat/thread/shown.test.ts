import { expect, test } from "vitest";

import type { Turn } from "../api";
import { NOTHING, type Answer } from "../stream/answer";
import type { Snapshot } from "../stream/answering";
import { againOf, shownTurns } from "./shown";

const turn = (id: string, parent_id: string | null, more: Partial<Turn> = {}): Turn => ({
  id, parent_id, role: id.startsWith("u") ? "user" : "assistant", content: id, state: "done", created_at: "2026-11-16T09:00:00Z", ...more,
});
const heard = (answer: Partial<Answer>, more: Partial<Snapshot> = {}): Snapshot => ({
  answer: { ...NOTHING, ...answer }, connection: "open", isStopping: false, isGone: false, ...more,
});
const STORED = [turn("u1", null), turn("a1", "u1")];
const lines = (turns: readonly Turn[]): string[] => turns.map(({ id, parent_id, content, state }) => `${id}<${parent_id} ${content as string} ${state}`);

test("a prompt and its answer are shown before the server has named them", () => {
  const shown = shownTurns(STORED, { content: "More?", parentId: "a1" }, heard({}));
  expect(lines(shown).slice(2)).toEqual(["asked<a1 More? done", "pending<asked  running"]);
});

test("another answer to a prompt is its sibling", () => {
  const shown = shownTurns(STORED, { parentId: "u1" }, heard({ id: "a2", text: "Hel" }));
  expect(lines(shown).slice(2)).toEqual(["a2<u1 Hel running"]);
});

test("once the server has the turns, only the answer's text is taken from the stream", () => {
  const stored = [...STORED, turn("u2", "a1"), turn("a2", "u2", { content: "", state: "running" })];
  const shown = shownTurns(stored, { content: "More?", parentId: "a1" }, heard({ id: "a2", text: "Hello" }));
  expect(lines(shown).slice(2)).toEqual(["u2<a1 u2 done", "a2<u2 Hello running"]);
});

test("what is stored of an answer that is over is final", () => {
  const stored = [...STORED, turn("u2", "a1"), turn("a2", "u2", { content: "Hello.", state: "stopped" })];
  expect(shownTurns(stored, undefined, heard({ id: "a2", text: "Hello" }))).toBe(stored);
});

test("an answer that was refused, or can't be heard, adds nothing", () => {
  expect(shownTurns(STORED, { content: "More?", parentId: "a1" }, heard({}, { refusal: {} as never }))).toBe(STORED);
  expect(shownTurns(STORED, undefined, heard({ id: "a1" }, { isGone: true }))).toBe(STORED);
  expect(shownTurns(STORED, undefined, undefined)).toBe(STORED);
});

test("the end of an answer is told as the server will store it", () => {
  const state = (answer: Partial<Answer>): string | undefined =>
    shownTurns([], { content: "x", parentId: null }, heard({ id: "a2", isOver: true, ...answer })).at(-1)?.state;
  expect([state({}), state({ finishReason: "stopped" }), state({ error: { code: "x" } })]).toEqual(["done", "stopped", "failed"]);
});

test("a person's own run that failed continues, everything else is answered again", () => {
  const run = turn("a2", "u2", { state: "failed", steps: [{ tool: "create_note", arguments: {} }], created_at: new Date().toISOString() });
  expect(againOf(run, true)).toEqual({ resumeFrom: "a2" });
  for (const other of [{ ...run, state: "done" as const }, { ...run, steps: [] }, { ...run, steps: undefined }, { ...run, created_at: "2026-01-01T00:00:00Z" }]) {
    expect(againOf(other, true)).toEqual({ regenerate: "a2" });
  }
  expect(againOf(run, false)).toEqual({ regenerate: "a2" });
});
