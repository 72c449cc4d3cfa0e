/** Markdown as the editor reads it, with limits: no shape of a text makes reading it cost more than its length. */

import { markdownLanguage } from "@codemirror/lang-markdown";
import { Language } from "@codemirror/language";
import type { BlockContext, InlineContext, LeafBlock, LeafBlockParser, Line, MarkdownParser } from "@lezer/markdown";

/** Marks in a longer paragraph stay text: matching them takes the square of their number. */
export const LONGEST_PARAGRAPH = 8_000;
/** Quotes and lists within each other; what is deeper is text. */
export const DEEPEST = 24;

/** Letters of paragraphs that were looked at: what reading costs, for the test that bounds it. */
export const counted = { inline: 0 };

const longParagraph = {
  name: "LongParagraph",
  before: "Escape",
  parse(context: InlineContext): number {
    if (context.end - context.offset > LONGEST_PARAGRAPH) return context.end;
    counted.inline += 1;
    return -1;
  },
};

/** A longer paragraph or table is text, and ends here: it is read in one go. */
export const MOST_LINES = 1_000;

class LongLeaf implements LeafBlockParser {
  #lines = 1;
  nextLine(context: BlockContext, _: Line, leaf: LeafBlock): boolean {
    this.#lines += 1;
    if (this.#lines < MOST_LINES) return false;
    context.addLeafElement(leaf, context.elt("Paragraph", leaf.start, leaf.start + leaf.content.length));
    return true;
  }
  finish(): boolean {
    return false;
  }
}

const longLeaf = { name: "LongLeaf", leaf: () => new LongLeaf() };

const deepBlock = {
  name: "DeepBlock",
  before: "IndentedCode",
  parse(context: BlockContext, line: Line): boolean {
    if (context.depth <= DEEPEST || line.pos >= line.text.length) return false;
    context.addElement(context.elt("Paragraph", context.lineStart + line.pos, context.lineStart + line.text.length));
    context.nextLine();
    return true;
  },
};

const parser = (markdownLanguage.parser as MarkdownParser).configure({
  parseInline: [longParagraph],
  parseBlock: [deepBlock, longLeaf],
  // The reading view doesn't have them.
  remove: ["Subscript", "Superscript", "Emoji"],
});

/** Shares its data with the library's Markdown, whose commands continue lists. */
export const language = new Language(markdownLanguage.data, parser, [], "markdown");
