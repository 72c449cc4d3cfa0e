/** Places in JSON, and where it can't be read. */

import { expect, test } from "vitest";

import { lineOf, LONGEST, placeOf, readJson } from "./places";

const TEXT = `{
  "steps": [
    {"id": "find", "with": {"a/b": [1, -2.5e3, true, null, "ä\\n"]}}
  ]
}`;

function read(text: string) {
  const found = readJson(text);
  if (!found.ok) throw new Error(`${found.slip} at ${found.at}`);
  return found;
}

test("values are those of JSON.parse", () => {
  for (const text of [TEXT, "3", '"x"', " [ ] ", "{}", '{"__proto__": 1, "a": {}}']) expect(read(text).value).toEqual(JSON.parse(text));
});

test("a pointer has its place: a member with its key, an item as it is", () => {
  const { places } = read(TEXT);
  const at = (pointer: string) => TEXT.slice(placeOf(pointer, places).from, placeOf(pointer, places).to);
  expect(at("/steps/0/id")).toBe('"id": "find"');
  expect(at("/steps/0/with/a~1b/1")).toBe("-2.5e3");
  expect(lineOf(TEXT, placeOf("/steps/0/id", places).from)).toBe(3);
});

test("what is missing is shown at what it is missing in", () => {
  const { places } = read(TEXT);
  expect(placeOf("/steps/0/tool", places)).toEqual(placeOf("/steps/0", places));
  expect(placeOf("/nowhere/at/all", places)).toEqual({ from: 0, to: TEXT.length });
  expect(placeOf("odd", places)).toEqual({ from: 0, to: 0 });
});

test("what can't be read says what is missing, and where", () => {
  const slips = ["", "{", '{"a" 1}', '{"a": 1 "b"}', "{a: 1}", '{"a": x}', '["a', "[1] 2", "[1,]", "-"].map(readJson);
  expect(slips.map((slip) => !slip.ok && [slip.slip, slip.at])).toEqual([
    ["end", 0], ["end", 1], ["colon", 5], ["comma", 8], ["key", 1], ["value", 6], ["text", 1], ["after", 4], ["value", 3], ["number", 0],
  ]);
});

test("too deep or too long is refused, not tried", () => {
  expect(readJson("[".repeat(100_000))).toMatchObject({ slip: "deep" });
  expect(readJson(" ".repeat(LONGEST + 1))).toMatchObject({ slip: "long" });
});
