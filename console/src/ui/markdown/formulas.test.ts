import { expect, test } from "vitest";

import { withFormulas } from "./formulas";

test.each([
  ["Energy is $E = mc^2$, always.", "Energy is $$E = mc^2$$, always."],
  ["So \\(a + b\\) it is.", "So $$a + b$$ it is."],
  ["Then \\[ \\int_0^1 x \\, dx \\] follows.", "Then \n$$\n\\int_0^1 x \\, dx\n$$\n follows."],
  ["$$\nx^2\n$$", "$$\nx^2\n$$"],
])("a formula gets double signs: %j", (text, marked) => {
  expect(withFormulas(text).text).toBe(marked);
});

test.each([
  "It costs $5 and $10.",
  "From $ 5 to 6 $ a piece",
  "Use `$HOME` and `$PATH` here",
  "```sh\necho $HOME $PATH\n```",
  "```sh\necho $HOME$x and it is still written",
  "A price of \\$5 and \\$6",
  "US$5 is not A$6",
])("what isn't a formula stays: %j", (text) => {
  expect(withFormulas(text).text).toBe(text);
});

test("text after code is read again", () => {
  expect(withFormulas("`$a$` and $b$").text).toBe("`$a$` and $$b$$");
});

test("a place after formulas is found in the original", () => {
  const text = "\\[x\\] and $a$, `$b$` \\(c\\) - [ ] task $d$ end";
  const { text: marked, original } = withFormulas(text);
  for (const words of ["and", "- [ ] task", "end"]) expect(original(marked.indexOf(words))).toBe(text.indexOf(words));
});
