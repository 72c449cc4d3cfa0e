/** What the API says about how a file came to be, and what came of it. */

import type { Schemas } from "@/api/client";

/** Lines of a text before and after a change, perhaps cut. */
export interface ChangedPassage {
  line: number;
  before: string;
  after: string;
}

export interface TextChanges {
  added: number;
  removed: number;
  /** The first few. */
  passages: ChangedPassage[];
  /** The whole text was compared. */
  complete: boolean;
}

/** A source or derived file. */
export type Relative = Schemas["RelatedObject"] & {
  current_source_version: number;
  /** The source has changed since. */
  stale: boolean;
  /** The derived file was changed by hand since. */
  edited: boolean;
  changes?: TextChanges | null;
};

export interface Relatives {
  sources: Relative[];
  derived: Relative[];
}

export type Processing = Omit<Schemas["Processing"], "sources" | "derived"> & Relatives;

/** What is needed of the file that all this is about. */
export interface Subject {
  id: string;
  key: string;
  filename: string;
  version: number;
}

export type Run = Schemas["RunItem"] | Schemas["RunOutline"];
export type RunDetail = Schemas["RunDetail"] | Schemas["RunOutline"];
/** A run whose input can be read. */
export type ReadableRun = Schemas["RunDetail"];
