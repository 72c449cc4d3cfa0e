import { expect, test } from "vitest";

import { walked } from "./entries";

const file = (path: string) =>
  ({ isDirectory: false, fullPath: path, file: (give: (file: File) => void) => give(new File(["x"], path)) }) as unknown as FileSystemEntry;

/** Returns entries two at a time, as browsers return a hundred at a time. */
const folder = (path: string, entries: FileSystemEntry[]) =>
  ({
    isDirectory: true,
    fullPath: path,
    createReader: () => {
      const left = [...entries];
      return { readEntries: (give: (some: FileSystemEntry[]) => void) => give(left.splice(0, 2)) };
    },
  }) as unknown as FileSystemEntry;

test("folders are walked to their ends", async () => {
  const tree = [file("/top.txt"), folder("/a", [file("/a/1"), file("/a/2"), file("/a/3"), folder("/a/b", [file("/a/b/4")]), folder("/a/empty", [])])];
  expect((await walked(tree)).map(({ path }) => path)).toEqual(["top.txt", "a/1", "a/2", "a/3", "a/b/4"]);
});
