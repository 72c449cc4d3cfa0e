/** Catalogs: JSON files of texts by key, flat or nested. */

import { number, t } from "@/i18n";

/** As the server limits them. */
export const MOST_TEXTS = 2_000;
export const MOST_CHARACTERS = 200_000;
const LONGEST_KEY = 500;

export interface Catalog {
  /** Texts by key; the key of a nested text has all names on the way. */
  texts: Record<string, string>;
  /** Values that aren't texts, and empty texts: they stay as they are. */
  others: number;
  /** The same file with other texts. */
  rebuild: (texts: Record<string, string>) => unknown;
}

export interface Parsed {
  catalog?: Catalog;
  fault?: string;
}

export function parseCatalog(raw: string): Parsed {
  let file: unknown;
  try {
    file = JSON.parse(raw.replace(/^\uFEFF/, ""));
  } catch (fault) {
    return { fault: syntaxFault(raw, String(fault)) };
  }
  if (typeof file !== "object" || file === null || Array.isArray(file)) return { fault: t("translate.catalog.shape") };
  const catalog = catalogOf(file);
  const fault = limitFault(catalog.texts);
  return fault ? { fault } : { catalog };
}

/** Browsers report where the error is in different ways. */
function syntaxFault(raw: string, message: string): string {
  const named = /line (\d+)/.exec(message)?.[1];
  const position = /position (\d+)/.exec(message)?.[1];
  const until = position === undefined ? raw : raw.slice(0, Number(position));
  return t("translate.catalog.syntax", { line: named === undefined ? until.split("\n").length : Number(named) });
}

function limitFault(texts: Record<string, string>): string | undefined {
  const keys = Object.keys(texts);
  const size = Object.entries(texts).reduce((sum, [key, text]) => sum + key.length + text.length, 0);
  const long = keys.find((key) => key.length > LONGEST_KEY);
  if (keys.length === 0) return t("translate.catalog.empty");
  if (keys.length > MOST_TEXTS) return t("translate.catalog.many", { count: number(keys.length), most: number(MOST_TEXTS) });
  if (size > MOST_CHARACTERS) return t("translate.catalog.large", { count: number(size), most: number(MOST_CHARACTERS) });
  return long ? t("translate.catalog.key", { key: `${long.slice(0, 60)}…` }) : undefined;
}

type Path = readonly string[];

function catalogOf(file: object): Catalog {
  const texts: Record<string, string> = {};
  const keys = new Map<string, string>();
  let others = 0;
  walk(file, [], (text, path) => {
    const key = path.join(".") in texts ? pointerOf(path) : path.join(".");
    texts[key] = text;
    keys.set(pointerOf(path), key);
  }, () => (others += 1));
  const rebuild = (translated: Record<string, string>): unknown =>
    copy(file, [], (text, path) => translated[keys.get(pointerOf(path)) ?? ""] ?? text);
  return { texts, others, rebuild };
}

/** Unique, also where names have dots. */
const pointerOf = (path: Path): string => path.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

function walk(value: unknown, path: Path, onText: (text: string, path: Path) => void, onOther: () => void): void {
  if (typeof value === "string" && value.trim() !== "") onText(value, path);
  else if (typeof value === "object" && value !== null) Object.entries(value).forEach(([name, part]) => walk(part, [...path, name], onText, onOther));
  else onOther();
}

function copy(value: unknown, path: Path, change: (text: string, path: Path) => string): unknown {
  if (typeof value === "string") return value.trim() === "" ? value : change(value, path);
  if (Array.isArray(value)) return value.map((part, place) => copy(part, [...path, String(place)], change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copy(part, [...path, name], change)]));
}
