/** Words: every text of the console is a message of the catalog, with plurals, numbers and dates as the locale has them. */

import { IntlMessageFormat } from "intl-messageformat";

import type english from "../../../teamspace/localization/catalogs/en.json";

type Catalog = typeof english;
/** `namespace.key`, for every message there is: a misspelt one does not compile. */
export type MessageKey = { [N in keyof Catalog & string]: `${N}.${keyof Catalog[N] & string}` }[keyof Catalog & string];
type Texts = Partial<Record<MessageKey, string>>;
export type Values = Record<string, string | number | boolean | Date | null | undefined>;

let locale = "en";
let messages: Texts = {};
const compiled = new Map<MessageKey, IntlMessageFormat>();

export async function loadCatalog(wanted?: string): Promise<void> {
  const query = wanted ? `?locale=${encodeURIComponent(wanted)}` : "";
  const response = await fetch(`/api/i18n/catalog${query}`, { headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`the catalog was answered ${response.status}`);
  const catalog = (await response.json()) as { locale: string; messages: Record<string, Record<string, string>> };
  speak(catalog.locale, flat(catalog.messages));
}

/** The catalog's namespaces and keys as the console names them. */
export function flat(namespaces: Record<string, Record<string, string>>): Texts {
  return Object.fromEntries(
    Object.entries(namespaces).flatMap(([namespace, texts]) =>
      Object.entries(texts).map(([key, text]) => [`${namespace}.${key}`, text]),
    ),
  ) as Texts;
}

export function speak(name: string, texts: Texts): void {
  locale = name;
  messages = texts;
  compiled.clear();
  if (typeof document !== "undefined") document.documentElement.lang = name;
}

/** The message in the present locale; a key without one shows itself, which a test finds. */
export function t(key: MessageKey, values?: Values): string {
  let format = compiled.get(key);
  if (!format) {
    format = new IntlMessageFormat(messages[key] ?? key, locale);
    compiled.set(key, format);
  }
  return String(format.format(values));
}

const DAY = 86_400_000;
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * DAY],
  ["month", 30 * DAY],
  ["day", DAY],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

export const currentLocale = (): string => locale;

export function dateTime(stamp: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(new Date(stamp));
}

export function number(value: number): string {
  return new Intl.NumberFormat(locale).format(value);
}

/** `5 minutes ago`, `in 6 hours`; under a minute, just now. */
export function ago(stamp: string, now = Date.now()): string {
  const distance = new Date(stamp).getTime() - now;
  for (const [unit, length] of STEPS) {
    if (Math.abs(distance) >= length) {
      return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(Math.round(distance / length), unit);
    }
  }
  return t("time.now");
}
