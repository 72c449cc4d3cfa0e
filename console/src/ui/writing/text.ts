/** What people write: a title and a body, with labels beside them; and how two states of it differ. */

import type { Schemas } from "@/api/client";

export type Visibility = Schemas["Note"]["visibility"];

export interface Written {
  title: string;
  body: string;
  visibility: Visibility;
}

/** As the server has it. */
export type Kept<Text extends Written> = Text & { id: string; version: number; updated_at: string };

export const LONGEST_TITLE = 200;

/** How long a text waits to be saved unasked, in milliseconds: since the last key, and at the longest. */
export interface Pace {
  pause: number;
  longest: number;
}

/** For what has no versions to look through, and for what this browser cannot keep. */
export const AT_EVERY_PAUSE: Pace = { pause: 800, longest: 10_000 };

/** One kind of written thing: the fields it has, where its drafts are kept, and how often it is saved. */
export interface Manner<Text extends Written> {
  name: string;
  empty: Text;
  pace: Pace;
  textOf(kept: Text): Text;
  /** Equal for the server: it trims a title. */
  same(one: Text, other: Text): boolean;
  /** Only what differs is sent, so that what others changed beside it stays. */
  changeOf(base: Text, mine: Text): Partial<Text>;
  /** Labels never need a person: what I changed stays, what they added or removed stays too. */
  mergeLabels(base: Text, mine: Text, theirs: Text): Partial<Text>;
}

/** The fields of `empty` are those of the kind. */
export function mannerOf<Text extends Written>(name: string, empty: Text, pace = AT_EVERY_PAUSE): Manner<Text> {
  const fields = Object.keys(empty) as (keyof Text & string)[];
  const pick = (names: typeof fields, of: (field: keyof Text & string) => unknown): Partial<Text> =>
    Object.fromEntries(names.map((field) => [field, of(field)])) as Partial<Text>;
  const differing = (one: Text, other: Text): typeof fields => fields.filter((field) => !equal(bare(one, field), bare(other, field)));
  return {
    name,
    empty,
    pace,
    textOf: (kept) => pick(fields, (field) => kept[field]) as Text,
    same: (one, other) => differing(one, other).length === 0,
    changeOf: (base, mine) => pick(differing(base, mine), (field) => bare(mine, field)),
    mergeLabels: (base, mine, theirs) =>
      pick(
        fields.filter((field) => field !== "title" && field !== "body"),
        (field) => mergeLabel(base[field], mine[field], theirs[field]),
      ),
  };
}

function bare<Text extends Written>(text: Text, field: keyof Text): unknown {
  return field === "title" ? text.title.trim() : text[field];
}

function equal(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((entry, index) => entry === other[index]);
}

function mergeLabel(base: unknown, mine: unknown, theirs: unknown): unknown {
  if (!Array.isArray(base) || !Array.isArray(mine) || !Array.isArray(theirs)) return mine === base ? theirs : mine;
  const removed = new Set(base.filter((entry) => !mine.includes(entry)));
  const added = mine.filter((entry) => !base.includes(entry) && !theirs.includes(entry));
  return [...theirs.filter((entry) => !removed.has(entry)), ...added];
}
