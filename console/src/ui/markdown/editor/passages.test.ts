import { expect, test } from "vitest";

import { placeOf } from "./passages";

test("a passage is found where it was, or where it is now if that is certain", () => {
  expect(placeOf("a bc d", { from: 2, text: "bc" })).toBe(2);
  expect(placeOf("new a bc d", { from: 2, text: "bc" })).toBe(6);
  expect(placeOf("bc a bc", { from: 1, text: "bc" })).toBeNull();
  expect(placeOf("a d", { from: 2, text: "bc" })).toBeNull();
});
