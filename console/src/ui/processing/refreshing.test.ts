import { expect, test } from "vitest";

import { repeatable, stalenessOf } from "./refreshing";
import type { Relative, RunDetail } from "./shapes";

const relative = (id: string, more: Partial<Relative> = {}): Relative => ({
  id, key: `inbox/${id}`, filename: id, version: 1, source_version: 1, current_source_version: 3, stale: true, edited: false,
  run_id: "run", step: "extract", created_at: "2026-11-17T00:00:00Z",
  changed_sources: [{ id: "invoice", key: "inbox/invoice.txt", source_version: 1, current_source_version: 3 }], ...more,
} as Relative); // prettier-ignore

test("what is out of date names each changed source and each run once", () => {
  const changes = { added: 1, removed: 1, passages: [], complete: true };
  const derived = [relative("fields", { changes }), relative("form", { run_id: "later" }), relative("copy", { stale: false, run_id: "other" })];
  const { sources, derived: stale, runs } = stalenessOf({ sources: [], derived });
  expect(sources).toEqual([{ id: "invoice", key: "inbox/invoice.txt", filename: "invoice.txt", from: 1, to: 3, changes }]);
  expect(stale.map(({ id }) => id)).toEqual(["fields", "form"]);
  expect(runs).toEqual(["run", "later"]);
});

test("a derived file says which of its sources has changed", () => {
  const { sources, derived, runs } = stalenessOf({ sources: [relative("form"), relative("template", { stale: false, changed_sources: [] })], derived: [] });
  expect(sources.map(({ id, from, to }) => [id, from, to])).toEqual([["invoice", 1, 3]]);
  expect([derived, runs]).toEqual([[], ["run"]]);
});

test("nothing is out of date", () => {
  const { sources, runs } = stalenessOf({ sources: [relative("scan", { stale: false })], derived: [] });
  expect([sources, runs]).toEqual([[], []]);
});

test("the same work is started once, and not while it runs, nor without its whole input", () => {
  const run = (id: string, more: object = {}): RunDetail =>
    ({ view: "full", id, slug: "process-upload", state: "succeeded", created_at: "", input: { object_id: "1" }, ...more }) as RunDetail;
  const runs = [run("1"), run("2"), run("3", { input: { object_id: "2" } }), run("4", { state: "running" }), run("5", { view: "outline", input: undefined }), run("6", { input: { truncated: 40_000 } })];
  expect(repeatable(runs).map(({ id }) => id)).toEqual(["1", "3"]);
});
