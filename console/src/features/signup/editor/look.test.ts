import { expect, test } from "vitest";

import { BASE } from "@/ui/tokens/tokens";

import { assetUrl, completeTheme, withToken } from "./look";

test("tokens that aren't set, or aren't tokens, are the base's", () => {
  expect(completeTheme({ accent: "#123456", logo: "a1", radius: "wide" })).toEqual({ ...BASE, accent: "#123456" });
});

test("a page without tokens has the look of the brand, and keeps it when one is set", () => {
  const brand = { ...BASE, accent: "#00574b", radius: 2 };
  expect(completeTheme({ logo: "a1" }, brand)).toEqual(brand);
  expect(withToken({ logo: "a1" }, "link", "#0b6285", brand)).toEqual({ ...brand, logo: "a1", link: "#0b6285" });
  expect(withToken({ radius: 4 }, "link", "#0b6285", brand)).toEqual({ radius: 4, link: "#0b6285" });
});

test("only a named asset has an address", () => {
  expect(assetUrl("a1")).toBe("/api/beta/asset/a1");
  expect(assetUrl(undefined)).toBeUndefined();
});
