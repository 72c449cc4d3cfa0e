/** Prompts and answers, parsed from a job's data. */

import { expect, test } from "vitest";

import { chatInputOf, chatResultOf } from "./shapes";

test("a prompt is a text, or the parts of one", () => {
  expect(chatInputOf({ prompt: "Hello" })).toMatchObject({ prompt: "Hello", messages: [] });
  const parts = [{ type: "text", text: "One" }, { type: "note", note_id: "n1" }, { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }];
  expect(chatInputOf({ prompt: [...parts, { type: "object" }, { type: "film" }, 5] })?.prompt).toEqual(parts);
});

test("what is no question to a model is not taken for one", () => {
  for (const other of [null, 5, "text", [], {}, { prompt: 5 }]) expect(chatInputOf(other)).toBeNull();
  for (const other of [null, { rows: 5 }, { text: 5 }]) expect(chatResultOf(other)).toBeNull();
});

test("an answer without its cost is still an answer", () => {
  expect(chatResultOf({ text: "Hi" })).toEqual({ text: "Hi", model: "", finishReason: "stop", usage: undefined });
});
