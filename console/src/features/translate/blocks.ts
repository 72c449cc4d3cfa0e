/** Blocks of a text, as the server translates it: paragraphs, list items, headings and table rows. */

export interface Range {
  start: number;
  end: number;
}

const MARKER = /^[ \t]*((>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|#{1,6}(?=[ \t]))[ \t]*)+/;
const FENCE = /^[ \t]*(`{3,}|~{3,})/;

/** In order; what has no words and what is code belongs to none. */
export function blocksOf(text: string): Range[] {
  const blocks: Range[] = [];
  let open: Range | null = null;
  let fence = "";
  let start = 0;
  for (const line of text.split(/(?<=\n)/)) {
    const end = start + line.length;
    const fenced = FENCE.exec(line)?.[1];
    const marker = fence ? undefined : MARKER.exec(line)?.[0];
    const isFixed = fence !== "" || fenced !== undefined || !/\p{L}/u.test(line);
    const isRow = line.trimStart().startsWith("|");
    if (isFixed || marker !== undefined || isRow) open = null;
    if (fenced !== undefined) fence = fence === "" ? fenced : fenced.startsWith(fence) ? "" : fence;
    if (!isFixed) {
      if (open) open.end = start + line.trimEnd().length;
      else blocks.push((open = { start: start + (marker?.length ?? 0), end: start + line.trimEnd().length }));
      if (isRow || marker?.includes("#")) open = null;
    }
    start = end;
  }
  return blocks;
}

/** The block with the beginning of a segment; -1 if there's none. */
export function blockWith(excerpt: string, text: string, blocks: readonly Range[]): number {
  const at = text.indexOf(excerpt);
  return at < 0 ? -1 : blocks.findIndex(({ start, end }) => start <= at && at < end);
}
