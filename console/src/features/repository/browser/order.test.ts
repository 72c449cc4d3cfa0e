import { describe, expect, it } from "vitest";

import type { FileItem } from "../queries";
import { fileEntry, folderEntry } from "./entries";
import { inOrder, turned, type Column } from "./order";

const file = (key: string, size = 0, updated_at = "2026-01-01", more: Partial<FileItem> = {}) =>
  fileEntry({ id: key, key, filename: key, size, updated_at, content_type: "text/plain", ...more } as FileItem);
const FOLDERS = ["x/B/", "x/a10/", "x/a9/"].map((key) => folderEntry(key, "x/"));
const FILES = [file("x/Zebra.txt", 3, "2026-03-01"), file("x/apple.txt", 1, "2026-02-01"), file("x/file 10.txt", 2), file("x/file 9.txt", 2, "2026-01-02")];

const names = (by: Column, descending = false, files = FILES): string[] =>
  inOrder(FOLDERS, files, { by, descending }, (id) => ({ u1: "Zoe", u2: "Ann" })[id] ?? "").map(({ name }) => name);

describe("the order of a folder", () => {
  it("is natural, without regard to case, with folders first", () => {
    expect(names("name")).toEqual(["a9", "a10", "B", "apple.txt", "file 9.txt", "file 10.txt", "Zebra.txt"]);
    expect(names("name", true)).toEqual(["B", "a10", "a9", "Zebra.txt", "file 10.txt", "file 9.txt", "apple.txt"]);
  });

  it("is by size or change, and by name where those are equal", () => {
    expect(names("size").slice(3)).toEqual(["apple.txt", "file 9.txt", "file 10.txt", "Zebra.txt"]);
    expect(names("size", true).slice(3)).toEqual(["Zebra.txt", "file 9.txt", "file 10.txt", "apple.txt"]);
    expect(names("changed", true)).toEqual(["a9", "a10", "B", "Zebra.txt", "apple.txt", "file 9.txt", "file 10.txt"]);
  });

  it("is by access or by the owner's name", () => {
    const files = [file("x/1", 0, "", { owner: "u1", visibility: "team" }), file("x/2", 0, "", { owner: "u2", visibility: "private" }), file("x/3", 0, "", { owner: "u1", visibility: "private" })];
    expect(names("owner", false, files).slice(3)).toEqual(["2", "1", "3"]);
    expect(names("owner", true, files).slice(3)).toEqual(["1", "3", "2"]);
    expect(names("visibility", true, files).slice(3)).toEqual(["1", "2", "3"]);
  });

  it("is turned by the same column, and begins with the largest or the newest", () => {
    expect(turned({ by: "name", descending: false }, "name")).toEqual({ by: "name", descending: true });
    expect(turned({ by: "name", descending: true }, "size")).toEqual({ by: "size", descending: true });
    expect(turned({ by: "size", descending: true }, "kind")).toEqual({ by: "kind", descending: false });
  });
});
