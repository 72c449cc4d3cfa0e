import { expect, test } from "vitest";

import { termsIn } from "./terms";

const term = (name: string) => ({ term: name, translation: "x", note: "", forbidden: [] });

test("terms are found where a word begins, whatever their case", () => {
  const found = (source: string): string[] => termsIn(source, [term("quay"), term("C++"), term("team space")]).map((one) => one.term);
  expect(found("Quays are closed")).toEqual(["quay"]);
  expect(found("Write C++ in a Team Space")).toEqual(["C++", "team space"]);
  expect(found("marquay")).toEqual([]);
});
