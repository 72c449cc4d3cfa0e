/** Plain-text excerpt of a Markdown text. */
export function plain(markdown: string): string {
  return markdown
    .replace(/```[\s\S]*?(```|$)/g, " ")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^\s*(#{1,6}|>|[-*+]( \[[ x]\])?|\d+\.)\s+/gm, "")
    .replace(/\|?(\s*:?-{3,}:?\s*\|)+/g, " ")
    .replace(/\s*\|\s*/g, " ")
    .replace(/(\*\*|__|[*_`~])/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
