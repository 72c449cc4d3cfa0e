import { expect, test } from "vitest";

import { Refusal } from "@/api/client";

import { bodyOf, pathOf, refusedTitle, type Question } from "./question";

const ASKED: Question = { content: "Boats?", parentId: null, tools: false };

test("the chosen executor or model is asked, with and without tools", () => {
  const body = { conversation_id: "c1", executor: "Far", prompt: "Boats?", parent_id: null };
  expect(bodyOf("c1", { ...ASKED, executor: "Far" })).toEqual(body);
  expect(bodyOf("c1", { ...ASKED, executor: "Far", tools: true })).toEqual(body);
  expect(bodyOf("c1", { ...ASKED, model: "small" })).toEqual({ conversation_id: "c1", model: "small", prompt: "Boats?", parent_id: null });
  expect(bodyOf("c1", ASKED)).toEqual({ conversation_id: "c1", prompt: "Boats?", parent_id: null });
});

test("a prompt that is answered again is not sent again", () => {
  expect(bodyOf("c1", { ...ASKED, regenerate: "t1", executor: "Far" })).toEqual({ conversation_id: "c1", executor: "Far", regenerate: "t1" });
});

test("a run that failed is continued without its prompt", () => {
  expect(bodyOf("c1", { ...ASKED, resumeFrom: "t1" })).toEqual({ conversation_id: "c1", resume_from: "t1" });
});

test("a refusal names what of the prompt it is about", () => {
  const draft = { text: "Boats?", references: [{ type: "object", id: "o1", title: "scan.pdf" }] } as const;
  const asked = {
    content: [{ type: "text", text: "Boats?" }, { type: "object", object_id: "o1" }] as const,
    parentId: null,
    draft: { ...draft, references: [...draft.references] },
  };
  const about = (pointer: string): string | undefined =>
    refusedTitle(new Refusal(404, { errors: [{ pointer, message: "", key: "repository.text_none", params: {} }] }), { ...asked, content: [...asked.content] });
  expect(about("/prompt/1")).toBe("scan.pdf");
  expect(about("/prompt/0")).toBeUndefined();
  expect(about("/system")).toBeUndefined();
  expect(refusedTitle(new Refusal(429, {}), { ...asked, content: "Boats?" })).toBeUndefined();
});

test("tools are for agents", () => {
  expect(pathOf(ASKED)).toBe("/api/ai/chat/stream");
  expect(pathOf({ ...ASKED, tools: true })).toBe("/api/agent");
});
