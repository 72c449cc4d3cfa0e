/** What the fields of a term hold. */

import type { Term } from "./queries";

export interface Values extends Record<string, unknown> {
  term: string;
  target: string;
  translation: string;
  note: string;
  forbidden: string[];
}

/** Forms to avoid. */
export const MOST_FORMS = 5;

export const EMPTY: Values = { term: "", target: "", translation: "", note: "", forbidden: [] };

export const valuesOf = ({ term, target, translation, note, forbidden }: Term): Values => ({ term, target, translation, note, forbidden: [...forbidden] });
