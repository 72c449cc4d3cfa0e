/** A prospect in words. */

import { currentLocale, languageName, number, t } from "@/i18n";
import { duration, milliseconds } from "@/ui/quantities";

import type { Prospect } from "../api";

const NAMES = ["name", "full_name", "display_name"];

/** The name that the prospect gave, else the address. */
export function nameOf({ fields, email }: Prospect): string {
  const given = NAMES.map((name) => fields[name]).find((value) => typeof value === "string" && value.trim() !== "");
  return typeof given === "string" ? given : email;
}

/** A text by locale, in the console's language if it is there. */
export function localized(texts: Readonly<Record<string, string>> | undefined, locale = currentLocale()): string | undefined {
  if (!texts) return undefined;
  return texts[locale] || texts[locale.split("-")[0] ?? ""] || texts.en || Object.values(texts).find(Boolean);
}

/** What was noticed, beside the doubts. */
export function signalFacts({ signals, locale }: Prospect): [string, string][] {
  const { solving, age, from_prefix: nearby, duplicates, similar, difficulty, origin, agent } = signals;
  return [
    [t("prospects.fact.age"), duration(age)],
    ...(solving === null ? [] : [[t("prospects.fact.solving"), milliseconds(solving)] as [string, string]]),
    ...(difficulty > 0 ? [[t("prospects.fact.difficulty"), t("prospects.fact.difficulty.value", { level: difficulty })] as [string, string]] : []),
    [t("prospects.fact.nearby"), number(nearby)],
    [t("prospects.fact.duplicates"), number(duplicates)],
    [t("prospects.fact.similar"), number(similar)],
    ...(locale ? [[t("prospects.fact.language"), languageName(locale)] as [string, string]] : []),
    ...(origin ? [[t("prospects.fact.origin"), origin] as [string, string]] : []),
    [t("prospects.fact.agent"), agent || t("prospects.fact.agent.none")],
  ];
}
