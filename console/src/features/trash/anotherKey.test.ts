import { expect, test } from "vitest";

import { anotherKey } from "./anotherKey";

test.each([
  ["crane.txt", "crane 2.txt"],
  ["plans/crane.txt", "plans/crane 2.txt"],
  ["plans/crane 2.txt", "plans/crane 3.txt"],
  ["plans.d/crane", "plans.d/crane 2"],
  [".hidden", ".hidden 2"],
  ["folder/", "folder/ 2"],
])("a key beside %s is %s", (key, another) => {
  expect(anotherKey(key)).toBe(another);
});
