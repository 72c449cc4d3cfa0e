/** What steps were given. */

import { expect, test } from "vitest";

import type { SpecStep } from "../spec/shapes";
import { bound, itemAt, type Scope } from "./given";

const step = (id: string, more: object = {}) => ({ id, state: "succeeded", output: null, items: [], total: 0, ...more });
const RUN = {
  id: "r1", owner: "u1", locale: "en", input: { places: ["Pier 1", "Pier 2"], subject: { name: "pier" } },
  steps: [
    step("find", { output: { result: [{ title: "Plan" }] } }), step("long", { output: { result: { truncated: 40_000 } } }),
    step("look", { total: 1, items: [{ index: 0, result: "one" }] }), step("many", { total: 300, items: [{ index: 0, result: 1 }] }),
    step("left_out", { state: "skipped" }), step("later", { state: "pending" }),
  ],
} as unknown as Scope; // prettier-ignore
const ref = (path: string) => ({ $ref: path });

test("references are replaced by values of the run, anywhere in a binding", () => {
  const binding = { q: ref("input.subject.name"), first: [ref("steps.find.output.result.0.title")], run: ref("run.id"), as: { $lit: ref("x") }, limit: 2 };
  expect(bound(binding, RUN)).toEqual({ value: { q: "pier", first: ["Plan"], run: "r1", as: ref("x"), limit: 2 } });
  expect(bound(ref("steps.look.output.results"), RUN)).toEqual({ value: [{ index: 0, result: "one" }] });
  expect([bound(ref("user.id"), RUN), bound(ref("locale"), RUN)]).toEqual([{ value: "u1" }, { value: "en" }]);
});

test("a path that leads nowhere, and a step that was skipped, are null", () => {
  expect([bound(ref("input.none.there"), RUN), bound(ref("input.places.9"), RUN), bound(ref("steps.left_out.output.result"), RUN)]).toEqual(
    [{ value: null }, { value: null }, { value: null }],
  ); // prettier-ignore
});

test("what was too long to be sent, or isn't there yet, isn't known", () => {
  const references = ["steps.long.output.result", "steps.many.output.results", "steps.later.output.result", "item", "index", "team.id"];
  expect(references.map((reference) => bound({ a: ref(reference) }, RUN))).toEqual(references.map(() => null));
  expect(bound(ref("input.places"), { ...RUN, input: { truncated: 40_000 } })).toBeNull();
});

test("each item of a map gets its own values", () => {
  const map = (over: unknown) => ({ id: "m", kind: "map", tool: "t", over, given: [], retry: 0, end: false }) as SpecStep;
  expect([0, 1, 2].map((index) => itemAt(map(ref("input.places")), RUN, index))).toEqual([{ value: "Pier 1" }, { value: "Pier 2" }, null]);
  expect(itemAt(map(["x", ref("input.subject")]), RUN, 1)).toEqual({ value: { name: "pier" } });
  expect(bound([ref("item.name"), ref("index")], RUN, { item: { value: { name: "pier" } }, index: 1 })).toEqual({ value: ["pier", 1] });
});
