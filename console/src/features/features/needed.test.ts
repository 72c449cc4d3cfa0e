import { expect, test } from "vitest";

import { action } from "@/navigation/tables";

import { isNeeded } from "./needed";

test("only what has a screen or an action is offered as a switch", () => {
  const ask = action("ask", { title: "jobs.new", feature: "chat", perform: () => undefined });
  const features = ["chat", "agent", "translate", "workflows"] as const;
  expect(features.filter((feature) => isNeeded(feature, { screens: [], actions: [ask] }))).toEqual(["chat"]);
});
