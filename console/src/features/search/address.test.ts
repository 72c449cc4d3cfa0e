import { expect, test } from "vitest";

import { kindOf, placeOf } from "./address";

test("a Markdown file is a document, whatever it is called", () => {
  const found = { type: "object", content_type: "text/markdown" } as const;
  expect([kindOf(found), placeOf(found)]).toEqual(["document", "/documents/$id"]);
  expect(placeOf({ type: "object", content_type: "application/pdf" })).toBe("/files/$id");
  expect(placeOf({ type: "note", content_type: null })).toBe("/notes/$id");
});
