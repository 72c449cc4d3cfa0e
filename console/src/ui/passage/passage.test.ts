import { expect, test } from "vitest";

import { passageOf, placeOf } from "./passage";

const TEXT = "Crane 3 is back on\n  Tuesday. Crane 3 (the old one) costs $5.";
const found = (quote: string, start?: number, end?: number): string | undefined => {
  const place = placeOf(TEXT, { quote, start, end });
  return place && TEXT.slice(place.start, place.end);
};

test("a quote is where the server says that it is", () => {
  expect(placeOf(TEXT, { quote: "Crane 3", start: 30, end: 37 })).toEqual({ start: 30, end: 37 });
});

test("a place that has other words is searched for", () => {
  expect(found("back on Tuesday.", 0, 4)).toBe("back on\n  Tuesday.");
  expect(found("Crane 3 (the old one) costs $5.")).toBe("Crane 3 (the old one) costs $5.");
});

test("a quote that isn't there is nowhere", () => {
  expect(found("on Wednesday")).toBeUndefined();
  expect(found("  ")).toBeUndefined();
});

test("a passage is the quote with the text around it", () => {
  const long = `${"a ".repeat(9_000)}HERE${" b".repeat(9_000)}`;
  const passage = passageOf(long, placeOf(long, { quote: "here" }));
  expect([passage.quote, passage.isCut]).toEqual(["HERE", { before: true, after: true }]);
  expect([passage.before.length, passage.after.length]).toEqual([6_000, 6_000]);
  expect(passageOf("short", undefined)).toEqual({ before: "", quote: "", after: "short", isCut: { before: false, after: false } });
});
