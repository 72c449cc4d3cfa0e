import { expect, test } from "vitest";

import { keepUnsent, readUnsent, typed } from "./unsent";

function shelf() {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  };
}

test("what is typed is kept with what was there before, until it is the same again", () => {
  const one = typed({}, "m1", "Hal", "");
  expect(one).toEqual({ m1: { text: "Hal", base: "" } });
  // Someone else saved meanwhile: the base stays what it was when typing began.
  expect(typed(one, "m1", "Hallo", "Guten Tag")).toEqual({ m1: { text: "Hallo", base: "" } });
  expect(typed(one, "m1", "", "")).toEqual({});
  expect(typed(one, "m1", "", "Guten Tag")).toEqual({ m1: { text: "", base: "" } });
});

test("texts survive a reload, and broken storage is none", () => {
  const place = shelf();
  keepUnsent("de", { m1: { text: "Hallo", base: "" } }, place);
  expect(readUnsent("de", place)).toEqual({ m1: { text: "Hallo", base: "" } });
  keepUnsent("de", {}, place);
  expect(place.kept.size).toBe(0);
  place.setItem("de", "{broken");
  expect(readUnsent("de", place)).toEqual({});
  place.setItem("de", '{"m1": 3, "m2": {"text": "x", "base": "y"}}');
  expect(readUnsent("de", place)).toEqual({ m2: { text: "x", base: "y" } });
});
