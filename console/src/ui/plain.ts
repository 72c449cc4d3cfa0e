/** Plain-text excerpt of a Markdown text. */

import { withoutMarks } from "./turns/withoutMarks";

export function plain(markdown: string): string {
  return withoutMarks(markdown)
    .replace(/```[\s\S]*?(```|$)/g, " ")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^\s*(#{1,6}|>|[-*+]( \[[ x]\])?|\d+\.)\s+/gm, "")
    .replace(/\|?(\s*:?-{3,}:?\s*\|)+/g, " ")
    .replace(/\s*\|\s*/g, " ")
    .replace(/\*\*|[*`~]|(?<![\p{L}\p{N}_])_{1,2}|_{1,2}(?![\p{L}\p{N}_])/gu, "")
    .replace(/\s+/g, " ")
    .trim();
}
