/** What may become inner HTML. */

import { expect, test } from "vitest";

import { plainOnly } from "./trusted";

test("style passes, and nothing that could begin an element", () => {
  const style = ":root > a { color: red; } @media (width >= 10px) { b::before { content: '&'; } }";
  expect(plainOnly(style)).toBe(style);
  for (const text of ["<b>", "<img src=x onerror=alert(1)>", "</style><script>", "a < b"]) expect(plainOnly(text)).toBeNull();
});
