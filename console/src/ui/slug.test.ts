/** Slugs as the server generates them. */

import { expect, test } from "vitest";

import { slugOf } from "./slug";

test.each([
  ["Northwind Traders", "northwind-traders"],
  ["  Harbour & Sons  ", "harbour-sons"],
  ["X", ""],
  ["東京", ""],
  ["a".repeat(60), "a".repeat(48)],
])("%s", (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});
