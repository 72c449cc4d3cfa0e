/** Names of languages, in the current language and in their own. */

import { byName, currentLocale, languageName } from "@/i18n";

/** ISO 639-1, three more that people ask for, and the variants that differ in writing or vocabulary. */
const CODES = (
  "aa ab af ak am an ar as av ay az ba be bg bm bn bo br bs ca ce ch co cs cv cy da de dv dz ee el en eo es et eu fa ff " +
  "fi fj fo fr fy ga gd gl gn gu gv ha he hi hr ht hu hy ia id ig is it iu ja jv ka kab ki kk kl km kn ko kr ks ku kv " +
  "kw ky la lb lg li ln lo lt lu lv mg mi mk ml mn mr ms mt my nb nd ne nl nn nr nv ny oc om or os pa pl ps pt qu rm rn " +
  "ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tn to tr ts tt tw ty ug uk ur uz ve " +
  "vi wa wo xh yi yo za zh zu fil haw " +
  "de-AT de-CH en-GB en-US es-419 es-ES fr-CA fr-FR pt-BR pt-PT sr-Latn zh-Hans zh-Hant"
).split(" ");

export interface Language {
  code: string;
  name: string;
  /** In the language itself. */
  own: string;
}

/** The canonical form of a language tag; undefined if it isn't one. */
export function canonical(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag.trim())[0];
  } catch {
    return undefined;
  }
}

/** By locale and code: a list asks for all of them at every keystroke. */
const known = new Map<string, Language>();

export function languageOf(code: string): Language {
  const key = `${currentLocale()} ${code}`;
  const language = known.get(key) ?? { code, name: languageName(code), own: languageName(code, code) };
  known.set(key, language);
  return language;
}

export function allLanguages(): Language[] {
  return CODES.map(languageOf).sort((one, other) => byName(one.name, other.name));
}

/** Whether a name, own name or code contains what was typed. */
export function isMatch({ code, name, own }: Language, typed: string): boolean {
  const wanted = plain(typed);
  return [name, own].some((text) => plain(text).includes(wanted)) || code.toLowerCase().startsWith(wanted);
}

/** Without case and accents. */
const plain = (text: string): string => text.normalize("NFD").replace(/\p{Diacritic}/gu, "").toLowerCase().trim();
