import { expect, test } from "vitest";

import type { Experience } from "../api";
import { changeField, documentOf, editedOf, isSame, localesOf, moveField, textIn, withField, withLocale, withoutField, withoutLocale } from "./document";

const EMAIL = { name: "email", type: "email", required: true, label: { en: "E-mail", de: "E-Mail" } } as const;
const SIZE = { name: "size", type: "select", label: { en: "Size" }, options: ["large", { value: "s", label: { de: "Klein" } }] } as const;
const experience = { fields: [EMAIL, SIZE], copy: { en: { title: "Join" } }, theme: {}, judge_prompt: "", draft: null, published: null } as unknown as Experience;
const edited = editedOf(experience);
const names = ({ fields }: typeof edited): string[] => fields.map(({ name }) => name);

test("a document comes back as it was", () => {
  const document = documentOf(edited);
  expect(document.fields[1]?.options).toEqual([{ value: "large", label: {} }, { value: "s", label: { de: "Klein" } }]);
  expect(document.copy).toEqual({ en: { title: "Join", intro: "", submit: "", thanks: "" } });
  expect(isSame(edited, editedOf({ ...experience, draft: document }))).toBe(true);
});

test("a draft goes before what is published", () => {
  const draft = { fields: [EMAIL], retention_days: 30 } as unknown as Experience["draft"];
  expect(editedOf({ ...experience, draft }).retention_days).toBe(30);
});

test("fields are added, moved and removed", () => {
  const more = withField(edited);
  expect(names(more)).toEqual(["email", "size", "field_3"]);
  expect(names(moveField(more, 2, -1))).toEqual(["email", "field_3", "size"]);
  expect(moveField(more, 0, -1)).toBe(more);
  expect(names(withoutField(more, 1))).toEqual(["email", "field_3"]);
  expect(documentOf(changeField(edited, 1, { type: "text" })).fields[1]?.options).toEqual([]);
});

test("a language that goes takes its texts with it", () => {
  const more = withLocale(edited, "is");
  expect(localesOf(more)).toEqual(["en", "is", "de"]);
  const less = withoutLocale(more, "de");
  expect(localesOf(less)).toEqual(["en", "is"]);
  expect(less.fields[1]?.options[1]?.label).toEqual({});
});

test("a missing text is shown in another language", () => {
  expect(textIn({ en: "Size", de: "" }, "de")).toBe("Size");
  expect(textIn({}, "de")).toBe("");
});
