import { expect, test } from "vitest";

import { EventParser, type ServerEvent } from "./eventParser";

const TEXT = ': ping\n\nid: 1\nevent: ready\ndata: {}\n\nid: 2\nevent: change\ndata: {"type":"note",\ndata: "id":"n"}\n\n: ping\n\n';
const EVENTS: ServerEvent[] = [
  { name: "ready", data: "{}", id: "1" },
  { name: "change", data: '{"type":"note",\n"id":"n"}', id: "2" },
];

function parsed(...chunks: string[]): ServerEvent[] {
  const parser = new EventParser();
  return chunks.flatMap((chunk) => parser.feed(chunk));
}

test.each([["\n"], ["\r\n"], ["\r"]])("events are the same wherever the text is cut, with %j as line end", (end) => {
  const text = TEXT.replaceAll("\n", end);
  expect(parsed(text)).toEqual(EVENTS);
  expect(parsed(...text)).toEqual(EVENTS);
  for (let cut = 1; cut < text.length; cut++) expect(parsed(text.slice(0, cut), text.slice(cut))).toEqual(EVENTS);
});

test("an event without data isn't one, but its id counts", () => {
  expect(parsed("id: 7\nevent: x\n\ndata: y\n\n")).toEqual([{ name: "message", data: "y", id: "7" }]);
});

test("unknown fields and fields without a value are harmless", () => {
  expect(parsed("retry: 10\nwhat\ndata\n\n")).toEqual([{ name: "message", data: "", id: "" }]);
});

test("a line or an event that doesn't end is refused, not collected", () => {
  const part = "x".repeat(10_000);
  expect(() => parsed("data: ", ...Array<string>(7).fill(part))).toThrow(RangeError);
  expect(() => parsed(...Array<string>(7).fill(`data: ${part}\n`))).toThrow(RangeError);
  expect(parsed(...Array<string>(7).fill(`data: ${part}\n\n`))).toHaveLength(7);
});
