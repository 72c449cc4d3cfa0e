/** Word diff of two texts: equal, removed and added parts. */

import { folded } from "@/ui/writing/conflict/compare";
import { hunks } from "@/ui/writing/hunks";

export interface Part {
  kind: "same" | "removed" | "added";
  text: string;
}

export type Block =
  | { kind: "same"; line: string }
  | { kind: "folded"; lines: string[] }
  | { kind: "changed"; parts: Part[] };

/** With less in common than this, equal words are a coincidence: show one text removed and the other added. */
const RELATED = 0.3;
/** Tokens: a number with its separators, a word, whitespace, or a single character. */
const TOKENS = /\p{N}+(?:[.,:]\p{N}+)+|[\p{L}\p{N}\p{M}_'’]+|[^\S\n]+|\n|[^\p{L}\p{N}\p{M}_'’\s]/gu;

export function compareTexts(older: string, newer: string): Block[] {
  const [one, other] = [older.split("\n"), newer.split("\n")];
  const blocks: Block[] = [];
  let done = 0;
  for (const hunk of hunks(one, other)) {
    blocks.push(...equal(one.slice(done, hunk.from), done === 0, false));
    blocks.push({ kind: "changed", parts: partsOf(one.slice(hunk.from, hunk.to), other.slice(hunk.otherFrom, hunk.otherTo)) });
    done = hunk.to;
  }
  return [...blocks, ...equal(one.slice(done), done === 0, true)];
}

function equal(lines: string[], isFirst: boolean, isLast: boolean): Block[] {
  return folded(lines, isFirst, isLast).flatMap((row): Block[] => (row.kind === "differs" ? [] : [row]));
}

function partsOf(removed: string[], added: string[]): Part[] {
  const [older, newer] = [removed.join("\n"), added.join("\n")];
  if (removed.length === 0) return [{ kind: "added", text: newer }];
  if (added.length === 0) return [{ kind: "removed", text: older }];
  const parts = wordParts(older, newer);
  const common = parts.filter(({ kind }) => kind === "same").reduce((sum, { text }) => sum + text.trim().length, 0);
  if ((2 * common) / (older.length + newer.length) >= RELATED) return parts;
  return [{ kind: "removed", text: older }, { kind: "added", text: newer }].filter(({ text }) => text !== "") as Part[];
}

export function wordParts(older: string, newer: string): Part[] {
  const [one, other] = [older.match(TOKENS) ?? [], newer.match(TOKENS) ?? []];
  const parts: Part[] = [];
  const push = (kind: Part["kind"], tokens: string[]): void => {
    if (tokens.length > 0) parts.push({ kind, text: tokens.join("") });
  };
  let done = 0;
  for (const hunk of joined(one, hunks(one, other))) {
    push("same", one.slice(done, hunk.from));
    push("removed", one.slice(hunk.from, hunk.to));
    push("added", other.slice(hunk.otherFrom, hunk.otherTo));
    done = hunk.to;
  }
  push("same", one.slice(done));
  return parts;
}

/** Merges changes that only whitespace separates: they read as one. */
function joined(tokens: string[], found: ReturnType<typeof hunks>): ReturnType<typeof hunks> {
  const all: ReturnType<typeof hunks> = [];
  for (const hunk of found) {
    const last = all.at(-1);
    const between = last && tokens.slice(last.to, hunk.from).join("");
    if (last && between !== undefined && /^[^\S\n]*$/.test(between)) Object.assign(last, { to: hunk.to, otherTo: hunk.otherTo });
    else all.push({ ...hunk });
  }
  return all;
}

/** Number of words added and removed. */
export function counted(blocks: readonly Block[]): { added: number; removed: number } {
  const count = (kind: Part["kind"]): number =>
    blocks
      .flatMap((block) => (block.kind === "changed" ? block.parts : []))
      .filter((part) => part.kind === kind)
      .reduce((sum, { text }) => sum + (text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0), 0);
  return { added: count("added"), removed: count("removed") };
}
