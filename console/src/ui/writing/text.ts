/** The editable state of an item: title, body and metadata; and how two states differ. */

import type { Schemas } from "@/api/client";

export type Visibility = Schemas["Note"]["visibility"];

export interface Written {
  title: string;
  body: string;
  visibility: Visibility;
}

/** As stored on the server. */
export type Kept<Text extends Written> = Text & { id: string; version: number; updated_at: string };

export const LONGEST_TITLE = 200;

/** Autosave delays in milliseconds: after the last keystroke, and at most. */
export interface Pace {
  pause: number;
  longest: number;
}

/** For items without a version history, and for text that this browser can't store. */
export const AT_EVERY_PAUSE: Pace = { pause: 800, longest: 10_000 };

/** A kind of item: its fields, where its drafts are stored, and how often it's saved. */
export interface Manner<Text extends Written> {
  name: string;
  empty: Text;
  pace: Pace;
  textOf(kept: Text): Text;
  /** Equal for the server, which trims titles. */
  same(one: Text, other: Text): boolean;
  /** Only changed fields are sent, so that others' changes stay. */
  changeOf(base: Text, mine: Text): Partial<Text>;
  /** Metadata merges automatically: my changes and theirs both apply. */
  mergeLabels(base: Text, mine: Text, theirs: Text): Partial<Text>;
}

/** The fields of `empty` are the fields of the kind. */
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
