import { expect, test } from "vitest";

import type { Citation } from "../api";
import { heard, NOTHING, type Answer } from "./answer";
import { numberedEvent, type AnswerEvent, type Numbered } from "./events";

const CITED: Citation = {
  number: 1, source: { type: "object", id: "o1", version: 2, title: "Pier 2" }, start: 4, end: 9, quote: "crane", verified: true,
};

/** An answer with two tools, as a server recorded it. */
const EVENTS: AnswerEvent[] = [
  { type: "start", id: "t1", model: "m", executor: "local", simulated: true },
  { type: "delta", text: "The " },
  { type: "tool_call", call: "c1", tool: "search", arguments: { q: "crane" } },
  { type: "tool_result", call: "c1", tool: "search", ok: true, summary: "1 result" },
  { type: "tool_call", call: "c2", tool: "create_note", arguments: { title: "Crane" } },
  { type: "tool_result", call: "c2", tool: "create_note", ok: false, error: { code: "forbidden", message: "No." } },
  { type: "delta", text: "crane " },
  { type: "citation", ...CITED },
  { type: "delta", text: "is back[1]." },
];
const DONE: AnswerEvent = { type: "done", id: "t1", text: "The crane is back[1].", finish_reason: "stop", citations: [CITED] };

const at = (number: number, event: AnswerEvent | undefined, stream = "t1"): Numbered => ({ stream, number, event: event as AnswerEvent });
const RECORDED = EVENTS.map((event, place) => at(place + 1, event));
const played = (events: readonly Numbered[], from = NOTHING): Answer => events.reduce(heard, from);

test("an answer grows with its events", () => {
  const answer = played(RECORDED);
  expect(answer).toMatchObject({ id: "t1", model: "m", simulated: true, text: "The crane is back[1].", isOver: false, last: 9 });
  expect(answer.citations).toEqual([CITED]);
  expect(answer.steps).toEqual([
    { call: "c1", tool: "search", arguments: { q: "crane" }, result: "1 result", artifact: undefined, error: undefined },
    { call: "c2", tool: "create_note", arguments: { title: "Crane" }, result: "", artifact: undefined, error: { code: "forbidden", message: "No." } },
  ]);
});

test("an event that comes again counts once", () => {
  expect(played(RECORDED.flatMap((event) => [event, event]))).toEqual(played(RECORDED));
  expect(played([...RECORDED, ...RECORDED])).toEqual(played(RECORDED));
});

test("after a connection is lost anywhere, what is replayed from there or from the start adds up", () => {
  for (let cut = 0; cut <= RECORDED.length; cut++) {
    const before = played(RECORDED.slice(0, cut));
    expect(played(RECORDED.slice(cut), before)).toEqual(played(RECORDED));
    expect(played(RECORDED, before)).toEqual(played(RECORDED));
  }
});

test("events out of order wait for those before them", () => {
  const [first, second, ...others] = RECORDED as [Numbered, Numbered, ...Numbered[]];
  expect(played([first, ...others]).text).toBe("");
  expect(played([first, ...others, second])).toEqual(played(RECORDED));
  expect(played([...RECORDED].reverse())).toEqual(played(RECORDED));
});

test("the last event is the whole answer, whatever was missed", () => {
  const answer = played([at(1, EVENTS[0]), at(40, DONE)]);
  expect(answer).toMatchObject({ text: "The crane is back[1].", finishReason: "stop", isOver: true, citations: [CITED] });
  expect(played([at(41, { type: "delta", text: "more" })], answer)).toBe(answer);
});

test("when another server takes over, its text stands, and a tool that is called again is one call in its place", () => {
  const again: AnswerEvent = { type: "start", id: "t1", text: "The " };
  const call: AnswerEvent = { type: "tool_call", call: "c1", tool: "search", arguments: {} };
  const answer = played([...RECORDED, at(10, again), at(11, call), at(12, { type: "delta", text: "end" })]);
  expect(answer.text).toBe("The end");
  expect(answer.steps.map(({ call: id }) => id)).toEqual(["c1", "c2"]);
  expect(played([at(13, { type: "start", id: "t1" })], answer).text).toBe("");
});

test("when another server takes over, its citations take the place of those before", () => {
  const other: Citation = { ...CITED, source: { type: "note", id: "n1", title: "Minutes" }, quote: "agrees" };
  const shown = (from: Answer): readonly (string | undefined)[] => from.citations.map(({ source }) => source?.id);
  const none = played([...RECORDED, at(10, { type: "start", id: "t1" }), at(11, { type: "citation", ...other })]);
  expect(shown(none)).toEqual(["n1"]);
  const kept = played([...RECORDED, at(10, { type: "start", id: "t1", text: "is back[1].", citations: [CITED] })]);
  expect(shown(played([at(11, { type: "citation", ...other, number: 2 })], kept))).toEqual(["o1", "n1"]);
});

test("an error ends an answer and keeps its text", () => {
  const answer = played([...RECORDED, at(10, { type: "error", code: "interrupted", message: "The server stopped." })]);
  expect(answer).toMatchObject({ text: "The crane is back[1].", isOver: true, error: { code: "interrupted" } });
});

test("events of another answer, and unknown ones, change nothing", () => {
  const answer = played(RECORDED);
  expect(heard(answer, at(10, { type: "delta", text: "x" }, "t2"))).toBe(answer);
  expect(heard(answer, at(10, { type: "news" } as never))).toMatchObject({ text: answer.text, last: 10 });
});

test("an event is known by its id", () => {
  expect(numberedEvent({ name: "delta", id: "a:b:7", data: '{"type":"delta","text":"x"}' })).toEqual(at(7, { type: "delta", text: "x" }, "a:b"));
  expect(numberedEvent({ name: "delta", id: "", data: "{}" })).toBeUndefined();
  expect(numberedEvent({ name: "delta", id: "a:1", data: "{" })).toBeUndefined();
});
