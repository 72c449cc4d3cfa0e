/** Calls of a tool, from the audit log. */

import { expect, test } from "vitest";

import type { TrailEvent } from "@/ui/trail/source";

import { callsIn } from "./calls";

let count = 0;

function event(action: string, outcome: string, request = "r1", caller = "agent"): TrailEvent {
  count += 1;
  return {
    id: `e${count}`, at: "2026-11-16T09:00:00Z", actor: { kind: "user", id: "ann", username: "ann" }, action, target: "word_count",
    detail: { outcome, caller }, team_id: "t", request_id: request, address: "", seq: null, hash: null,
  }; // prettier-ignore
}

const newestFirst = (...events: TrailEvent[]): TrailEvent[] => [...events].reverse();

test("a call and its end are one row, at the time it began", () => {
  const begun = event("tool.call", "admitted");
  const calls = callsIn(newestFirst(begun, event("tool.end", "ok")));
  expect(calls).toEqual([{ event: begun, caller: "agent", end: "ok", code: "ok" }]);
});

test("two calls of one request end in their order, and one that goes on is running", () => {
  const calls = callsIn(
    newestFirst(
      event("tool.call", "admitted"), event("tool.call", "admitted"), event("tool.end", "failed"),
      event("tool.call", "admitted", "r2", "mcp"), event("tool.end", "ok", "r2"), event("tool.call", "tool_disabled"),
    ),
  ); // prettier-ignore
  expect(calls.map(({ caller, end, code }) => [caller, end, code])).toEqual([
    ["agent", "refused", "tool_disabled"], ["mcp", "ok", "ok"], ["agent", "running", "admitted"], ["agent", "failed", "failed"],
  ]); // prettier-ignore
});

test("an end whose beginning is further back counts, and a switch is no call", () => {
  const end = event("tool.end", "not_found", "old");
  const calls = callsIn(newestFirst(end, event("tool.switch", "undefined")));
  expect(calls).toEqual([{ event: end, caller: "agent", end: "refused", code: "not_found" }]);
});
