import { expect, test } from "vitest";

import { mentionAt, withoutMention } from "./mention";

const words = (text: string, caret = text.length): string | undefined => mentionAt(text, caret)?.words;

test("a sign after a space begins a mention", () => {
  expect([words("@"), words("Read @pier"), words("Read (@pier 2"), words("a\n@x")]).toEqual(["", "pier", "pier 2", "x"]);
  expect(words("Read @pier and more", 10)).toBe("pier");
});

test("no mention in addresses, after it, or without one", () => {
  expect([words("ann@example.com"), words("Read @pier  now"), words("@ pier"), words("@a\nb"), words("none")]).toEqual(Array(5).fill(undefined));
  expect(words(`@${"x".repeat(61)}`)).toBeUndefined();
});

test("what was chosen takes the mention's place", () => {
  const text = "Read @pier and say";
  expect(withoutMention(text, mentionAt(text, 10) ?? { start: 0, end: 0, words: "" })).toBe("Read and say");
});
