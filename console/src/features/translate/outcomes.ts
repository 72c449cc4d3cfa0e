/** Translations as the screen shows them: just made, or opened from the history. */

import type { Catalog } from "./catalog";
import { parseCatalog } from "./catalog";
import type { CatalogTranslation, FailedCheck, Hit, Translation, TranslationRecord } from "./queries";

interface Made {
  /** What was translated, as it was in the field. */
  asked: string;
  /** Null if nobody knows. */
  source: string | null;
  target: string;
  checks: readonly FailedCheck[];
  hits: readonly Hit[];
  memoryHits: number;
  tokens: number;
  /** The history has only its beginning. */
  truncated: boolean;
}

export interface TextOutcome extends Made {
  translation: string;
}

export interface CatalogOutcome extends Made {
  catalog: Catalog;
  translations: Readonly<Record<string, string>>;
}

function made(asked: string, answered: Translation | CatalogTranslation | TranslationRecord): Made {
  const { source, target, checks, glossary_hits: hits, memory_hits: memoryHits, usage } = answered;
  return { asked, source, target, checks, hits, memoryHits, tokens: usage.total_tokens, truncated: "truncated" in answered && answered.truncated };
}

export const textOutcome = (asked: string, answered: Translation): TextOutcome => ({ ...made(asked, answered), translation: answered.text });

export const catalogOutcome = (asked: string, catalog: Catalog, answered: CatalogTranslation): CatalogOutcome => ({
  ...made(asked, answered),
  catalog,
  translations: answered.catalog,
});

export function openedText(record: TranslationRecord): TextOutcome {
  const [first] = record.texts;
  return { ...made(first?.text ?? "", record), translation: first?.translation ?? "" };
}

/** Undefined if the record has no entry. */
export function openedCatalog(record: TranslationRecord): CatalogOutcome | undefined {
  const byKey = (value: "text" | "translation"): Record<string, string> => Object.fromEntries(record.texts.map((each) => [each.key ?? "", each[value]]));
  const asked = JSON.stringify(byKey("text"), null, 2);
  const { catalog } = parseCatalog(asked);
  return catalog && { ...made(asked, record), catalog, translations: byKey("translation") };
}
