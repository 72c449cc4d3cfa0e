import { describe, expect, it } from "vitest";

import { addressed, crumbsOf, folderOf, nameOf } from "./place";

describe("the place among files", () => {
  it("is a folder, with its slash", () => {
    expect(addressed({ in: "reports" })).toEqual({ in: "reports/", show: undefined });
    expect(addressed({ in: 2024 })).toEqual({ in: "2024/", show: undefined });
    expect(addressed({ in: ["x"], show: "nothing" })).toEqual({ in: undefined, show: undefined });
  });

  it("is reached through the folders above it", () => {
    expect(crumbsOf("")).toEqual([]);
    expect(crumbsOf("a/b/")).toEqual([{ name: "a", folder: "a/" }, { name: "b", folder: "a/b/" }]);
    expect(crumbsOf("a//")).toEqual([{ name: "a", folder: "a/" }, { name: "", folder: "a//" }]);
  });

  it("of a key is all before its last slash", () => {
    expect([folderOf("a/b/c.txt"), nameOf("a/b/c.txt")]).toEqual(["a/b/", "c.txt"]);
    expect([folderOf("c.txt"), nameOf("c.txt")]).toEqual(["", "c.txt"]);
  });
});
