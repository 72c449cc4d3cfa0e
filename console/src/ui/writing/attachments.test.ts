import { expect, test, vi } from "vitest";

import { attachTo, nameOf, numbered } from "./attachments";
import { mannerOf, type Kept, type Written } from "./text";
import { Writing } from "./writing";

test.each([
  [{ name: "quay.png", type: "image/png" }, "quay.png"],
  [{ name: "../a/b\\c.png", type: "image/png" }, "-a-b-c.png"],
  [{ name: "..", type: "image/png" }, "file.png"],
  [{ name: "", type: "" }, "file.bin"],
  [{ name: "a\nb.txt", type: "text/plain" }, "a-b.txt"],
])("%j is stored as %s", (file, name) => {
  expect(nameOf(file)).toBe(name);
});

test("a name that is taken gets a number before its ending", () => {
  expect([1, 2, 3].map((number) => numbered("a.tar.gz", number))).toEqual(["a.tar.gz", "a.tar 2.gz", "a.tar 3.gz"]);
  expect(numbered("README", 2)).toBe("README 2");
});

test.each([
  ["", "[a](/files/f)\n"],
  ["One", "One\n\n[a](/files/f)\n"],
  ["One\r\nTwo\r\n", "One\r\nTwo\r\n\r\n[a](/files/f)\r\n"],
])("the link of a file that came late is the last paragraph of %j, and saved", async (body, saved) => {
  const note: Kept<Written> = { id: "n", title: "Plan", body, visibility: "private", version: 1, updated_at: "" };
  const update = vi.fn((_id: string, change: Partial<Written>) => Promise.resolve({ ...note, ...change, version: 2 }));
  const desk = {
    manner: mannerOf<Written>("note", { title: "", body: "", visibility: "private" }),
    untitled: "Untitled",
    create: () => Promise.reject(new Error("there is a note")),
    fetch: () => Promise.resolve(note),
    update,
    saved: () => undefined,
  };
  const writing = new Writing<Written>(desk, { find: () => null, keep: () => true, drop: () => undefined }, note);
  attachTo(writing).append("[a](/files/f)", "a");
  await vi.waitFor(() => expect(writing.snapshot.word).toBe("saved"));
  expect(update.mock.calls.map(([, change]) => change)).toEqual([{ body: saved }]);
});
