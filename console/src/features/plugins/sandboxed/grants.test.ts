import { expect, test } from "vitest";

import { toggled } from "./grants";

const ASKED = [
  { name: "log", granted: true, used: 3, refused: 0 },
  { name: "search", granted: false, used: 0, refused: 2 },
];

test("one capability is granted or taken away, and the others stay", () => {
  expect(toggled(ASKED, "search")).toEqual(["log", "search"]);
  expect(toggled(ASKED, "log")).toEqual([]);
});
