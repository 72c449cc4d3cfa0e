/** Executors offered for a role. */

import { beforeAll, expect, test } from "vitest";

import english from "../../../../teamspace/catalogs/en.json";
import type { Executor } from "@/api/executors";
import { flat, speak } from "@/i18n";

import { choicesOf } from "./choices";

beforeAll(() => speak("en", flat(english)));

const executor = (name: string, more: Partial<Executor> = {}): Executor => ({
  id: name, name, mode: "pull", model: null, capabilities: ["ai.chat"], org_id: null, health: "up",
  last_seen_at: null, running: 0, created_at: null, ...more,
}); // prettier-ignore

const labels = (...args: Parameters<typeof choicesOf>): string[] => choicesOf(...args).map(({ label }) => label);

test("only executors that can answer for the company are offered", () => {
  const executors = [
    executor("Basement GPU", { model: "llama", org_id: "ours" }),
    executor("Theirs", { org_id: "theirs" }),
    executor("Indexer", { capabilities: ["repo.extract_text"] }),
    executor("local", { simulated: true }),
  ];
  expect(labels(executors, "ours", null, null)).toEqual(["Default", "Basement GPU · llama · Up", "This server · Simulated"]);
});

test("the default names the instance’s choice, and a retired executor stays visible", () => {
  expect(labels([], "ours", "Cloud", "Attic")).toEqual(["Default (Cloud)", "Attic (not available)"]);
});
