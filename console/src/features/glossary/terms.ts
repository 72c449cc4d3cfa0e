/** Terms of a glossary: which is which, in what order, and by language. */

import { byName, languageName } from "@/i18n";

import type { Term, TermText } from "./queries";

/** A language has a term once, however it's written. */
export const keyOf = ({ term, target }: Pick<TermText, "term" | "target">): string => `${target.toLowerCase()} ${term.trim().toLowerCase()}`;

export function isSame(one: TermText, other: TermText): boolean {
  return one.translation === other.translation && one.note === other.note && one.forbidden.join("\n") === other.forbidden.join("\n");
}

export interface TermGroup {
  target: string;
  terms: Term[];
}

/** Languages by name, and their terms in order. */
export function byLanguage(terms: readonly Term[]): TermGroup[] {
  const targets = [...new Set(terms.map(({ target }) => target))];
  return targets
    .sort((one, other) => byName(languageName(one), languageName(other)))
    .map((target) => ({
      target,
      terms: terms.filter((term) => term.target === target).sort((one, other) => byName(one.term, other.term)),
    }));
}
