/** Messages of the catalog, formatted with the plurals and numbers of the locale. */

import { IntlMessageFormat } from "intl-messageformat";

import { retryWhileBusy } from "../net/busy";
import { directionOf } from "./direction";
import { fileOf } from "./files";
import { numberFormat } from "./formats";
import { isolated } from "./isolates";
import { preferredLanguage } from "./preference";
import { MARK, preview } from "./preview";
import { dateTime } from "./time";
import type english from "../../../teamspace/catalogs/en.json";

export { numberFormat } from "./formats";
export { languageName, ownName } from "./languages";
export { ago, dateFormat, dateTime, exactTime, instantOf, setZone, wallTime } from "./time";

type Catalog = typeof english;
/** `namespace.key` of every message; a misspelt one doesn't compile. */
export type MessageKey = { [N in keyof Catalog & string]: `${N}.${keyof Catalog[N] & string}` }[keyof Catalog & string];
type Texts = Partial<Record<MessageKey, string>>;
export type Values = Record<string, string | number | boolean | Date | null | undefined>;

let locale = "en";
/** The only message that can be needed before a catalog is loaded. */
const BUILT_IN: Texts = { "state.unreachable": "Can’t reach the server. Retrying…" };
let messages = BUILT_IN;
type Format = { format: (values?: Values) => unknown };
const compiled = new Map<MessageKey, Format>();

let asked: { locale: string; done: Promise<void> } | undefined;
let heard: string | undefined;

/** Whether the catalog of a locale (by default the preferred one) is loaded. */
export const speaks = (wanted = preferredLanguage()): boolean => heard === (preview()?.locale ?? wanted);

/** Loads the catalog of a locale (by default the preferred one), or the nearest there is; a loaded one isn't fetched again. */
export function loadCatalog(given = preferredLanguage()): Promise<void> {
  const wanted = preview()?.locale ?? given;
  if (asked?.locale !== wanted) asked = { locale: wanted, done: learn(wanted).catch(forget) };
  return asked.done;
}

/** A failed load can be retried. */
function forget(fault: unknown): never {
  asked = undefined;
  throw fault;
}

async function learn(wanted: string): Promise<void> {
  const response = await firstOf(addressesOf(wanted));
  const catalog = (await response.json()) as { locale: string; messages: Record<string, Record<string, string>> };
  // A late response doesn't replace a catalog that was requested after it.
  if (heard !== undefined && asked?.locale !== wanted) return;
  heard = wanted;
  speak(catalog.locale, flat(catalog.messages));
}

/**
 * Where a locale's catalog may be, best first. The file that the page names never changes, so it comes from the cache;
 * a page that is older than the server asks the API. The API refuses a locale that isn't a language tag: the last
 * address is the default's.
 */
function addressesOf(wanted: string): string[] {
  const file = fileOf(wanted);
  return [...(file ? [file] : []), `/api/i18n/catalog?locale=${encodeURIComponent(wanted)}`, "/api/i18n/catalog"];
}

async function firstOf([address = "", ...others]: string[]): Promise<Response> {
  try {
    const response = await retryWhileBusy(() => fetch(address, { headers: { accept: "application/json" } }));
    if (!response.ok) throw new Error(`the catalog was answered ${response.status}`);
    return response;
  } catch (fault) {
    if (others.length === 0) throw fault;
    return firstOf(others);
  }
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
  if (typeof document === "undefined") return;
  document.documentElement.lang = name;
  document.documentElement.dir = directionOf(name);
}

/** The message in the current locale; a missing one is shown as its key, which a test detects. */
export function t(key: MessageKey, values?: Values): string {
  let format = compiled.get(key);
  if (!format) {
    format = compile(messages[key] ?? key);
    if (preview()?.key === key) format = marked(format);
    compiled.set(key, format);
  }
  return String(format.format(values));
}

function compile(text: string): Format {
  if (directionOf(locale) === "ltr") return new IntlMessageFormat(text, locale);
  return new IntlMessageFormat(isolated(new IntlMessageFormat(text, locale).getAst()), locale);
}

/** The message of a preview, with what is being written as soon as it can be shown. */
function marked(served: Format): Format {
  const written = (values?: Values): string | undefined => {
    try {
      return String(compile(preview()?.text ?? "").format(values));
    } catch {
      return undefined;
    }
  };
  return { format: (values) => `${MARK}${written(values) || String(served.format(values))}${MARK}` };
}

/** Shows another text of the preview from now on. */
export const forgetCompiled = (): void => compiled.clear();

/** What the server refused or reported: a text of the catalog, by key. */
export interface Reported {
  key?: string | null;
  params?: Values;
}

/** Its text in the current locale; undefined if the catalog has none, or one with other parameters. */
export function reportedText({ key, params }: Reported): string | undefined {
  const name = `refusals.${key ?? ""}` as MessageKey;
  if (messages[name] === undefined) return undefined;
  try {
    return t(name, params && Object.fromEntries(Object.entries(params).map(([param, value]) => [param, valueWords(param, value)])));
  } catch {
    return undefined;
  }
}

/** A value in words of the locale, if it is one of a few that the server has, or a time. What people type stays as it is. */
function valueWords(param: string, value: Values[string]): Values[string] {
  if (typeof value !== "string") return value;
  const permission = `permission.${value}` as MessageKey;
  if (param === "permission" && messages[permission] !== undefined) return t("state.quoted", { name: t(permission) });
  const key = `refusal_values.${param}.${value}` as MessageKey;
  if (messages[key] !== undefined) return t(key);
  return param.endsWith("_at") && !Number.isNaN(Date.parse(value)) ? dateTime(value) : value;
}

export const currentLocale = (): string => locale;

export function number(value: number): string {
  return numberFormat({}).format(value);
}

const collators = new Map<string, Intl.Collator>();

/** Names in the order that people expect: without regard to case, and with 9 before 10. */
export function byName(one: string, other: string): number {
  const collator = collators.get(locale) ?? new Intl.Collator(locale, { numeric: true });
  collators.set(locale, collator);
  return collator.compare(one, other);
}
