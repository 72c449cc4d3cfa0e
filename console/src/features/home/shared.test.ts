import { expect, test } from "vitest";

import { newestOfEach } from "./shared";

test("a thing that was shared twice stays in the place of its newest share", () => {
  const shares = [{ id: "plan", at: 3 }, { id: "crane", at: 2 }, { id: "plan", at: 1 }];
  expect(newestOfEach(shares)).toEqual([{ id: "plan", at: 3 }, { id: "crane", at: 2 }]);
});
