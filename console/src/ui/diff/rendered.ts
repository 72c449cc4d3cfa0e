/** What changed between two Markdown texts, by the blocks that a reader sees. */

import { hunks } from "@/ui/writing/hunks";

import { wordParts, type Part } from "./words";

/** Around changed words in Markdown; they belong to no script, so no text has them. */
export const MARKS = { added: ["\ue000", "\ue001"], removed: ["\ue002", "\ue003"] } as const;
const ANY_MARK = /[\ue000-\ue003]/g;

export interface RenderedBlock {
  kind: "same" | "added" | "removed" | "changed";
  text: string;
}

/** With less in common than this, a block was replaced. */
const RELATED = 0.5;
/** What has its own layout is shown before and after, not with marks in it. */
const FIXED = /^ {0,3}(```|~~~|\||\$\$|#)/;

export function renderedBlocks(older: string, newer: string): RenderedBlock[] {
  const [one, other] = [blocksOf(older), blocksOf(newer)];
  const blocks: RenderedBlock[] = [];
  let done = 0;
  for (const hunk of hunks(one, other)) {
    blocks.push(...one.slice(done, hunk.from).map((text): RenderedBlock => ({ kind: "same", text })));
    blocks.push(...replaced(one.slice(hunk.from, hunk.to), other.slice(hunk.otherFrom, hunk.otherTo)));
    done = hunk.to;
  }
  return [...blocks, ...one.slice(done).map((text): RenderedBlock => ({ kind: "same", text }))];
}

/** Paragraphs, lists and tables; a code block is one, with its blank lines. */
function blocksOf(text: string): string[] {
  const blocks: string[][] = [[]];
  let fence = "";
  for (const line of text.replace(ANY_MARK, "").split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence ? mark?.startsWith(fence) : mark) fence = fence ? "" : (mark as string);
    if (line.trim() === "" && !fence) blocks.push([]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
}

function replaced(removed: string[], added: string[]): RenderedBlock[] {
  const blocks: RenderedBlock[] = [];
  for (let place = 0; place < Math.max(removed.length, added.length); place++) {
    const [was, is] = [removed[place], added[place]];
    const marked = was !== undefined && is !== undefined ? withMarks(was, is) : null;
    if (marked !== null) blocks.push({ kind: "changed", text: marked });
    else {
      if (was !== undefined) blocks.push({ kind: "removed", text: was });
      if (is !== undefined) blocks.push({ kind: "added", text: is });
    }
  }
  return blocks;
}

/** The newer block with marks around its new words, and the removed words between; null if little is the same. */
function withMarks(older: string, newer: string): string | null {
  if (FIXED.test(older) !== FIXED.test(newer) || (FIXED.test(newer) && !newer.startsWith("#"))) return null;
  const parts = wordParts(older, newer);
  const common = parts.filter(({ kind }) => kind === "same").reduce((sum, { text }) => sum + text.trim().length, 0);
  if ((2 * common) / (older.length + newer.length) < RELATED) return null;
  return parts.map(marked).join("");
}

/** Marks go around words only: a sign of Markdown inside would lose its meaning. */
function marked({ kind, text }: Part): string {
  if (kind === "same") return text;
  const [begin, end] = MARKS[kind];
  const words = text.replace(/[\p{L}\p{N}\p{M}'’]+(?:[^\S\n]+[\p{L}\p{N}\p{M}'’]+)*/gu, (run) => `${begin}${run}${end}`);
  return kind === "added" ? words : words.replace(/\n/g, " ").replace(/[^\s\p{L}\p{N}\p{M}'’\ue002\ue003.,;:!?]/gu, "");
}
