import { expect, test } from "vitest";

import { matching, rankOf } from "./matching";

test("a title is found by a part of it, by beginnings of its words, or by its initials", () => {
  for (const query of ["new", "note", "ew no", "NEW  note", "no ne", "nn"]) expect(rankOf(query, "New note"), query).toBeDefined();
  for (const query of ["nt", "newt", "note x", "new old"]) expect(rankOf(query, "New note"), query).toBeUndefined();
  expect(rankOf("usage", "Quarterly sales figures")).toBeUndefined();
  expect(rankOf("報告", "四半期報告書")).toBeDefined();
});

test("the title itself is before its beginning, and that before the rest", () => {
  const titles = ["Daily usage", "Usage by team", "Files", "Usage", "My usage"];
  expect(matching("usage", titles, (title) => title)).toEqual(["Usage", "Usage by team", "Daily usage", "My usage"]);
  expect(matching("", titles, (title) => title)).toEqual(titles);
});
