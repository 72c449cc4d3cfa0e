import { expect, test } from "vitest";

import { toList } from "./crumbs";

test("the way back to a list keeps its filters, and nothing of the open item", () => {
  const { search } = toList("Documents", "/documents");
  const now = { q: "crane", tag: "plans", edit: true, inspect: "versions", version: 2, against: "before", view: "read", quote: "Crane 3" };
  expect(search instanceof Function && search(now)).toEqual({ q: "crane", tag: "plans" });
});
