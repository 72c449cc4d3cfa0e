/** JSON schemas of tools in readable words. */

import { beforeAll, expect, test } from "vitest";

import english from "../../../../teamspace/catalogs/en.json";
import { flat, speak } from "@/i18n";

import { argumentsOf, typeWords } from "./arguments";

beforeAll(() => speak("en", flat(english)));

test("required and optional arguments have a type, a description and a default", () => {
  const schema = {
    type: "object",
    required: ["query"],
    properties: {
      query: { type: "string", maxLength: 256, description: "Words to find." },
      limit: { type: "integer", minimum: 1, maximum: 40, default: 10 },
      types: { type: "array", items: { type: "string" }, default: [] },
    },
  };
  expect(argumentsOf(schema)).toEqual([
    { name: "query", type: "text, up to 256 characters", required: true, description: "Words to find.", fallback: undefined },
    { name: "limit", type: "whole number from 1 to 40", required: false, description: undefined, fallback: "10" },
    { name: "types", type: "list of text", required: false, description: undefined, fallback: undefined },
  ]);
});

test("null is not a type of its own", () => {
  expect(typeWords({ anyOf: [{ type: "string" }, { type: "null" }] })).toBe("text");
  expect(typeWords({ type: ["number", "null"] })).toBe("number");
});

test("choices, lists and mixtures", () => {
  expect(typeWords({ enum: ["asc", "desc"] })).toBe("asc or desc");
  expect(typeWords({ type: "array", items: { type: "string" }, maxItems: 3 })).toBe("list of text, up to 3");
  expect(typeWords({ anyOf: [{ type: "boolean" }, { type: "integer", minimum: 0 }] })).toBe("yes/no or whole number from 0");
  expect(typeWords({})).toBe("anything");
});

test("parts of objects are arguments with a longer name", () => {
  const line = { type: "object", required: ["price"], properties: { price: { type: "number" } } };
  const schema = { properties: { to: { type: "object", properties: { city: { type: "string" } } }, lines: { type: "array", items: line } } };
  expect(argumentsOf(schema).map(({ name, type, required }) => [name, type, required])).toEqual([
    ["to", "object", false], ["to.city", "text", false], ["lines", "list of object", false], ["lines[].price", "number", true],
  ]);
});
