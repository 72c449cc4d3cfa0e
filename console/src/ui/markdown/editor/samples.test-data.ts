/** Texts for tests: every construct of Markdown, alone and within others, and what only looks like one. */

import fc from "fast-check";

const PIECES = [
  "# One", "###### Six", "Heading\n===", "Other\n---", "**bold**", "_italic_", "***both***", "~~gone~~", "`code`", "``a ` b``", "- item", "* star", "+ plus",
  "1. one", "10) ten", "- [ ] open", "- [x] done", "  - nested", "    deeper", "> quote", "> > twice", "> - in quote", "---", "***", "[link](https://example.org)",
  "[note](/notes/abc)", "[@Ann](/people/u1)", "![image](/files/f1)", "![far](https://example.org/a.png)", "<https://example.org>", "https://example.org/a_b_c",
  "```python\nprint(1)\n```", "```\nplain\n```", "~~~\nopen fence", "    indented code", "| a | b |\n|---|:-:|\n| 1 | 2 \\| 3 |", "| a |\n|---|", "a | b\n--- | ---\nc",
  "$x^2$", "$$y$$", "costs $5 and $6", "\\*escaped\\*", "&amp;", "<b>html</b>", "<!-- comment -->", "[ref]: https://example.org", "[ref]", "[^1]", "[^1]: foot",
  "**unclosed", "[half](", "![", "``` ", "|", "||", "\\", "\t", "  ", "", "é漢字🙂", "\u200f", "* * *", "1.", "-", "#", ">", "[]()", "![](/files/x)", "- [ ]",
] as const;

const piece = fc.constantFrom(...PIECES);
const joint = fc.constantFrom("\n", "\n\n", "\r\n", "\r\n\r\n", "\r", " ", "");

/** A text of up to twelve pieces. */
export const anyMarkdown: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.oneof({ weight: 8, arbitrary: piece }, { weight: 1, arbitrary: fc.string({ maxLength: 12 }) }), joint), { maxLength: 12 })
  .map((parts) => parts.map(([text, end]) => text + end).join(""));
