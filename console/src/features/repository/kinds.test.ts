import { expect, test } from "vitest";

import { extensionOf, kindOf } from "./kinds";

test("what can be shown is shown, and what could act is not", () => {
  const shown = (type: string) => kindOf(type).shown;
  expect(["image/png", "application/pdf", "text/markdown", "text/plain", "application/json", "text/csv"].map(shown)).toEqual([
    "image", "pdf", "markdown", "text", "text", "text",
  ]);
  expect(["text/html", "image/tiff", "application/octet-stream", "video/mp4"].map(shown)).toEqual([
    undefined, undefined, undefined, undefined,
  ]);
});

test("a type that says nothing leaves it to the name", () => {
  expect(kindOf("application/octet-stream").word).toBeUndefined();
  expect(["model.GLB", "noext", "a.b.step"].map(extensionOf)).toEqual(["GLB", "", "STEP"]);
});
