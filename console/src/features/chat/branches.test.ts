import { expect, test } from "vitest";

import type { Turn } from "./api";
import { pathThrough, siblingsOf } from "./branches";

const turn = (id: string, parent_id: string | null): Turn => ({
  id, parent_id, role: id.startsWith("u") ? "user" : "assistant", content: id, state: "done", created_at: "2026-11-16T09:00:00Z",
});

/** u1 was answered twice; the first answer was continued twice; then the first prompt was edited. */
const TURNS = [
  turn("u1", null), turn("a1", "u1"), turn("u2", "a1"), turn("a2", "u2"), turn("a3", "u1"), turn("u4", "a1"), turn("a4", "u4"),
  turn("u5", null), turn("a5", "u5"),
];
const ids = (turns: readonly Turn[]): string => turns.map(({ id }) => id).join(" ");

test("without a place, the path ends with the newest turn", () => {
  expect(ids(pathThrough(TURNS))).toBe("u5 a5");
  expect(ids(pathThrough(TURNS, "gone"))).toBe("u5 a5");
  expect(pathThrough([])).toEqual([]);
});

test("a path goes through its turn, and on along what came last", () => {
  expect(ids(pathThrough(TURNS, "u1"))).toBe("u1 a3");
  expect(ids(pathThrough(TURNS, "a1"))).toBe("u1 a1 u4 a4");
  expect(ids(pathThrough(TURNS, "u2"))).toBe("u1 a1 u2 a2");
});

test("siblings are versions of the same prompt, or answers to it", () => {
  const of = (id: string): string => ids(siblingsOf(TURNS, TURNS.find((one) => one.id === id) as Turn));
  expect([of("u1"), of("a3"), of("u4"), of("a5")]).toEqual(["u1 u5", "a1 a3", "u2 u4", "a5"]);
});

test("a cycle, which no server should send, ends", () => {
  expect(ids(pathThrough([turn("u1", "a1"), turn("a1", "u1")]))).toBe("u1 a1");
});
