import { expect, test } from "vitest";

import { nameOf, numbered } from "./attachments";

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
