/** Three-way merge of two changed texts that asks nobody: by lines, then by words, then by letters. */

import { endingOf } from "@/ui/markdown/endings";

import { merge } from "./merge";

interface Level {
  split: (text: string) => string[];
  /** Whether two changes that only touch are one. */
  joins: boolean;
  /** Put between two texts that were written at the same place of a whole. */
  between: (theirs: string, whole: string) => string;
  /** Whether the texts may be merged at this level. */
  fits: (base: string, mine: string, theirs: string) => boolean;
}

const matched = (pattern: RegExp) => (text: string): string[] => text.match(pattern) ?? [];

const LINES: Level = {
  split: matched(/[^\r\n]*(?:\r\n?|\n)|[^\r\n]+$/g),
  joins: true,
  between: (theirs, whole) => (/[\r\n]$/.test(theirs) ? "" : endingOf(whole)),
  fits: () => true,
};

const WORDS: Level = {
  split: matched(/[\p{L}\p{N}\p{M}_]+|\r\n?|\n|[^\S\r\n]+|[^\p{L}\p{N}\p{M}_\s]/gu),
  joins: false,
  between: () => "",
  fits: () => true,
};

/** Two corrections of one word would give a third word: letters are merged only if one side just added some, and none deleted it. */
const LETTERS: Level = {
  split: (text) => Array.from(text),
  joins: false,
  between: () => "",
  fits: (base, mine, theirs) => mine !== "" && theirs !== "" && !/\s/.test(base) && (isWithin(base, mine) || isWithin(base, theirs)),
};

/** Whether a text has all letters of another, in their order. */
function isWithin(part: string, whole: string): boolean {
  let place = 0;
  for (const letter of whole) if (letter === part[place]) place++;
  return place >= part.length;
}

/** The merged text, with every letter that one of them added; null if both changed the same words. */
export function weave(base: string, mine: string, theirs: string): string | null {
  return weaveBy([LINES, WORDS, LETTERS], base, mine, theirs);
}

function weaveBy([level, ...finer]: Level[], base: string, mine: string, theirs: string): string | null {
  if (mine === base) return theirs;
  if (theirs === base || mine === theirs) return mine;
  if (!level?.fits(base, mine, theirs)) return null;
  const woven: string[] = [];
  for (const piece of merge(level.split(base), level.split(mine), level.split(theirs), level.joins)) {
    if (piece.kind !== "both") {
      woven.push(...piece.lines);
      continue;
    }
    const [ours, yours] = [piece.mine.join(""), piece.theirs.join("")];
    const merged = piece.base.length === 0 ? yours + level.between(yours, theirs) + ours : weaveBy(finer, piece.base.join(""), ours, yours);
    if (merged === null) return null;
    woven.push(merged);
  }
  return woven.join("");
}
