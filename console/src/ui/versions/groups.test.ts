import { expect, test } from "vitest";

import { grouped } from "./groups";
import type { Version } from "./queries";

const saved = (number: number, author: string, minute: number, actor_kind = "human") =>
  ({ number, name: null, author, actor_kind, created_at: new Date(Date.UTC(2026, 0, 1, 9, minute)).toISOString() }) as Version;

const numbers = (versions: Version[]) => grouped(versions).map((group) => group.map(({ number }) => number));

test("what one person saved within ten minutes is one group", () => {
  expect(numbers([saved(4, "ann", 21), saved(3, "ann", 11), saved(2, "ann", 10), saved(1, "ann", 1)])).toEqual([[4, 3], [2, 1]]);
});

test("somebody else in between parts them, and so does what was no hand", () => {
  expect(numbers([saved(3, "ann", 3), saved(2, "bo", 2), saved(1, "ann", 1)])).toEqual([[3], [2], [1]]);
  expect(numbers([saved(2, "ann", 2, "s3"), saved(1, "ann", 1, "s3")])).toEqual([[2], [1]]);
});

test("no version is lost", () => {
  expect(numbers([])).toEqual([]);
  expect(numbers(Array.from({ length: 50 }, (_, place) => saved(50 - place, "ann", 50 - place))).flat()).toHaveLength(50);
});

test("a named version begins a group", () => {
  const named = { ...saved(3, "ann", 11), name: "Sent" };
  expect(numbers([saved(4, "ann", 12), named, saved(2, "ann", 10)])).toEqual([[4], [3, 2]]);
});
