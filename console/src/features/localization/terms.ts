/** Terms of a glossary that a source contains. */

import type { Term } from "./queries";

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** As a whole word, or at the beginning of one: plurals and other forms count. */
export function termsIn(source: string, terms: readonly Term[]): Term[] {
  return terms.filter(({ term }) => term.trim() !== "" && new RegExp(`(?<![\\p{L}\\p{N}])${escaped(term.trim())}`, "iu").test(source));
}
