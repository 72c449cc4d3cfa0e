import { expect, test } from "vitest";

import { extensionOf, isComparable, kindOf, languageOf } from "./kinds";

test("what can be shown is shown, and what could act is not", () => {
  const shown = (type: string) => kindOf(type).shown;
  expect(["image/png", "application/pdf", "text/markdown", "text/plain", "application/json", "text/csv"].map(shown)).toEqual([
    "image", "pdf", "markdown", "text", "text", "table",
  ]);
  expect(["text/html", "image/tiff", "application/octet-stream", "video/mp4"].map(shown)).toEqual([
    undefined, undefined, undefined, "video",
  ]);
});

test("a type that says nothing leaves it to the name", () => {
  expect(kindOf("application/octet-stream").word).toBeUndefined();
  expect(["model.GLB", "noext", "a.b.step"].map(extensionOf)).toEqual(["GLB", "", "STEP"]);
});

test("code is coloured by its extension, or else by its type", () => {
  expect([languageOf("a.py", "text/plain"), languageOf("a", "application/json"), languageOf("a.txt", "text/plain"), languageOf("a.TSX", "")]).toEqual([
    "python", "json", undefined, "typescript",
  ]);
});

test("texts, tables and code up to half a megabyte are compared", () => {
  expect(isComparable({ content_type: "text/plain", size: 10 })).toBe(true);
  expect(isComparable({ content_type: "text/csv", size: 10 })).toBe(true);
  expect(isComparable({ content_type: "application/json", size: 10 })).toBe(true);
  expect(isComparable({ content_type: "text/plain", size: 600_000 })).toBe(false);
  expect(isComparable({ content_type: "image/png", size: 10 })).toBe(false);
});
