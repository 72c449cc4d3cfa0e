import { expect, test } from "vitest";

import { wholeSentences } from "./sentences";

test.each([
  ["", ""],
  ["The crane is", ""],
  ["The crane is back. It", "The crane is back."],
  ["The crane is back.", ""],
  ["It costs 3.50 now", ""],
  ["“Is it?” Yes", "“Is it?"],
  ["# Title\nText", "# Title\n"],
  ["One. Two! Three? Fo", "One. Two! Three?"],
])("of %j, %j is read out", (text, whole) => {
  expect(text.slice(0, wholeSentences(text))).toBe(whole);
});
