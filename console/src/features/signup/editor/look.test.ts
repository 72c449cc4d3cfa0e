import { expect, test } from "vitest";

import { BASE } from "@/ui/tokens/tokens";

import { assetUrl, completeTheme } from "./look";

test("tokens that aren't set, or aren't tokens, are the base's", () => {
  expect(completeTheme({ accent: "#123456", logo: "a1", radius: "wide" })).toEqual({ ...BASE, accent: "#123456" });
});

test("only a named asset has an address", () => {
  expect(assetUrl("a1")).toBe("/api/beta/asset/a1");
  expect(assetUrl(undefined)).toBeUndefined();
});
