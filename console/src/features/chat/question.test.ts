import { expect, test } from "vitest";

import { bodyOf, pathOf, type Question } from "./question";

const ASKED: Question = { content: "Boats?", parentId: null, tools: false };

test("the chosen executor is asked, with and without tools", () => {
  const body = { conversation_id: "c1", executor: "Far", prompt: "Boats?", parent_id: null };
  expect(bodyOf("c1", { ...ASKED, executor: "Far" })).toEqual(body);
  expect(bodyOf("c1", { ...ASKED, executor: "Far", tools: true })).toEqual(body);
  expect(bodyOf("c1", ASKED)).toEqual({ conversation_id: "c1", prompt: "Boats?", parent_id: null });
});

test("a prompt that is answered again is not sent again", () => {
  expect(bodyOf("c1", { ...ASKED, regenerate: "t1", executor: "Far" })).toEqual({ conversation_id: "c1", executor: "Far", regenerate: "t1" });
});

test("tools are for agents", () => {
  expect(pathOf(ASKED)).toBe("/api/ai/chat/stream");
  expect(pathOf({ ...ASKED, tools: true })).toBe("/api/agent");
});
