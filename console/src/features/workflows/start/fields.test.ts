/** Inputs of a workflow, from what is typed. */

import { beforeAll, expect, test } from "vitest";

import english from "../../../../../teamspace/catalogs/en.json";
import { flat, speak } from "@/i18n";

import { isObjectInput, parse, typedOf, type Inputs } from "./fields";

beforeAll(() => speak("en", flat(english)));

const INPUTS: Inputs = {
  text: { type: "string" }, count: { type: "integer" }, share: { type: "number" }, deep: { type: "boolean" }, locales: { type: "array" },
  schema: { type: "object" }, object_id: { type: "string" },
}; // prettier-ignore

test("what is typed becomes values of the declared types", () => {
  const typed = { text: "", count: "3", share: "0.5", deep: true, locales: '["es"]', schema: '{"total": {}}', object_id: "o1" };
  expect(parse(INPUTS, typed)).toEqual({
    values: { text: "", count: 3, share: 0.5, deep: true, locales: ["es"], schema: { total: {} }, object_id: "o1" },
    errors: {},
  });
});

test("each field says what is wrong with it", () => {
  const { errors } = parse(INPUTS, { text: "x", count: "1.5", share: "", deep: false, locales: "{}", schema: "{", object_id: "" });
  expect(Object.keys(errors)).toEqual(["count", "share", "locales", "schema", "object_id"]);
  expect(Object.values(errors).join()).not.toMatch(/workflows\./);
});

test("the input of an earlier run can be used again", () => {
  const input = { text: "a", count: 2, share: 0.1, deep: true, locales: ["nl"], schema: { a: 1 }, object_id: "o1" };
  expect(parse(INPUTS, typedOf(INPUTS, input)).values).toEqual(input);
  expect(typedOf({ text: { type: "string" } }, { text: { was: "an object" } })).toEqual({ text: '{"was":"an object"}' });
  expect(parse({ deep: { type: "boolean" }, locales: { type: "array" } }, typedOf({ deep: { type: "boolean" }, locales: { type: "array" } })).values).toEqual({
    deep: false, locales: [],
  });
});

test("a text input that names an object gets a picker", () => {
  expect(["object_id", "object", "source_object_id", "objects", "project"].map((name) => isObjectInput(name, { type: "string" }))).toEqual([
    true, true, true, false, false,
  ]);
  expect(isObjectInput("object", { type: "object" })).toBe(false);
});
