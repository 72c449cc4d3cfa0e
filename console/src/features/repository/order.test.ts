import { expect, test } from "vitest";

import { inOrder, type FileItem } from "./queries";

const page = (keys: string[], next_cursor: string | null = null, folders: string[] = []) =>
  ({ items: keys.map((key) => ({ key }) as FileItem), folders, next_cursor }) as Parameters<typeof inOrder>[0][number];

const keysOf = (listing: ReturnType<typeof inOrder>) => listing.items.map(({ key }) => key);

test("a folder stands by name, without regard to case, and with 9 before 10", () => {
  const listing = inOrder([page(["Beta.txt", "Zoo.txt", "alpha.txt", "pier 10", "pier 9"], null, ["Boats/", "archive/"])], "all");
  expect(keysOf(listing)).toEqual(["alpha.txt", "Beta.txt", "pier 9", "pier 10", "Zoo.txt"]);
  expect(listing.folders).toEqual(["archive/", "Boats/"]);
});

test("what is not read to its end keeps the order in which it is read on", () => {
  expect(keysOf(inOrder([page(["B", "a"], "more")], "all"))).toEqual(["B", "a"]);
  expect(keysOf(inOrder([page(["B"], "more"), page(["a"])], "all"))).toEqual(["a", "B"]);
});

test("what is shared stays newest first", () => {
  expect(keysOf(inOrder([page(["B", "a"])], "shared"))).toEqual(["B", "a"]);
});
