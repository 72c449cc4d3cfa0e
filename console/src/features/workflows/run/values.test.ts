/** Values in a run. */

import { expect, test } from "vitest";

import type { RunStep } from "../api";
import { artifactOf, artifactsOf, outcomeOf, truncatedOf } from "./values";

const document = (id: string) => ({ kind: "document", title: `${id}.md`, object_id: id });
const step = (output: unknown, results: unknown[] = []) => ({ output, items: results.map((result, index) => ({ index, result })) }) as unknown as RunStep;

test("an artifact has a kind and a title", () => {
  expect(artifactOf(document("a"))).toMatchObject({ title: "a.md" });
  expect([artifactOf({ kind: "moon", title: "x" }), artifactOf("text"), artifactOf(null), artifactOf({ kind: "text" })]).toEqual([null, null, null, null]);
});

test("a value that was left out says how long it is", () => {
  expect([truncatedOf({ truncated: 40_000 }), truncatedOf({ truncated: 1, more: 2 }), truncatedOf([])]).toEqual([40_000, null, null]);
});

test("the documents of a run are listed once", () => {
  const steps = [step({ result: document("a") }), step({ results: [] }, [document("b"), document("a"), "text"]), step({ result: { kind: "text", title: "t" } })];
  expect(artifactsOf({ steps, input: {} }).map((artifact) => artifact.object_id)).toEqual(["a", "b"]);
  expect(artifactsOf({ steps, input: { object_id: "a" } }).map((artifact) => artifact.object_id)).toEqual(["b"]);
  expect(artifactsOf({ steps, input: { objects: ["b"] } }).map((artifact) => artifact.object_id)).toEqual(["a"]);
  expect(outcomeOf(step({ result: 0 }))).toBe(0);
  expect(outcomeOf(step("bare"))).toBe("bare");
});
