import { expect, test } from "vitest";

import { isNeeded } from "./needed";

test("only what has a screen or an action is offered as a switch", () => {
  const features = ["chat", "agent", "translate", "workflows"] as const;
  expect(features.filter(isNeeded)).toEqual(["chat"]);
});
