import { describe, expect, it } from "vitest";

import { spliced } from "./splice";

describe("splicing", () => {
  it.each([
    ["abc", "abc", null],
    ["a\nb", "a\r\nb", null],
    ["abc", "abXc", { from: 2, to: 2, insert: "X" }],
    ["abc", "ac", { from: 1, to: 2, insert: "" }],
    ["", "new", { from: 0, to: 0, insert: "new" }],
    ["aa", "aaa", { from: 2, to: 2, insert: "a" }],
  ])("of %j into %j", (present, wanted, change) => {
    expect(spliced(present, wanted)).toEqual(change);
  });
});
