/** What the API says about how a file came to be, and what came of it. */

import type { Schemas } from "@/api/client";

export type TextChanges = Schemas["TextChanges"];
/** A source or derived file; what changed is only told by its processing. */
export type Relative = Schemas["RelatedObject"] & Partial<Pick<Schemas["ProcessedObject"], "changes">>;

export interface Relatives {
  sources: Relative[];
  derived: Relative[];
}

export type Processing = Schemas["Processing"];

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
