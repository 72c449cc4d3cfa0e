/** Drafts of questions. */

import { expect, test } from "vitest";

import { found, keep, NOTHING } from "./draft";

function shelf(full = false) {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (full) throw new Error("full");
      kept.set(key, value);
    },
    removeItem: (key: string) => void kept.delete(key),
  };
}

const draft = { prompt: "Which boats?", priority: "0", run_at: "2026-11-16T09:00", executor: "" };
const now = Date.parse("2026-11-15T12:00:00Z");

test("it comes back to who wrote it and to nobody else", () => {
  const here = shelf();
  keep("ann", draft, here);
  expect(found("ann", here, now)).toEqual(draft);
  expect(found("bob", here, now)).toEqual(NOTHING);
});

test("a time that has passed meanwhile is left out", () => {
  const here = shelf();
  keep("ann", draft, here);
  expect(found("ann", here, now + 7 * 86_400_000)).toEqual({ ...draft, run_at: "" });
});

test("an empty one is not kept, and a browser that keeps nothing is no fault", () => {
  const here = shelf();
  keep("ann", draft, here);
  keep("ann", NOTHING, here);
  expect(found("ann", here, now)).toEqual(NOTHING);
  expect(() => keep("ann", draft, shelf(true))).not.toThrow();
});
