import { expect, test } from "vitest";

import { imagesOf, referencesOf, textOf } from "@/ui/turns/content";

import { contentOf, withText } from "./content";

const NOTE = { type: "note", id: "n1", title: "Handover" } as const;
const FILE = { type: "object", id: "o1", title: "report.pdf" } as const;
const PICTURE = "data:image/png;base64,AA==";
const CONTENT = contentOf("Why?", [NOTE, FILE], [PICTURE]);

test("a text alone is sent as it is", () => {
  expect(contentOf("Why?", [], [])).toBe("Why?");
});

test("what goes with a text are parts", () => {
  expect(CONTENT).toEqual([
    { type: "text", text: "Why?" }, { type: "note", note_id: "n1" }, { type: "object", object_id: "o1" },
    { type: "image_url", image_url: { url: PICTURE } },
  ]);
  expect(contentOf("", [NOTE], [])).toEqual([{ type: "note", note_id: "n1" }]);
});

test("and can be read back", () => {
  expect([textOf(CONTENT), referencesOf(CONTENT).length, imagesOf(CONTENT).length]).toEqual(["Why?", 2, 1]);
  expect([textOf("Why?"), referencesOf("Why?"), imagesOf("Why?")]).toEqual(["Why?", [], []]);
});

test("an edited prompt keeps what went with it", () => {
  expect(withText("Why?", "How?")).toBe("How?");
  expect(withText(CONTENT, "How?")).toEqual([{ type: "text", text: "How?" }, ...CONTENT.slice(1)]);
});
