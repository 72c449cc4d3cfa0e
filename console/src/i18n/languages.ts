/** Names of languages. */

import { currentLocale } from ".";

/** `German`; a tag that the browser has no name for is shown as it is. */
export function languageName(code: string, locale = currentLocale()): string {
  try {
    return new Intl.DisplayNames([locale], { type: "language", languageDisplay: "standard" }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** Shipped languages that Chromium has no names in. */
const OWN_NAMES: Record<string, string> = { is: "íslenska" };

/** `Deutsch`, as a heading or in a list. */
export function ownName(code: string): string {
  const name = OWN_NAMES[code] ?? languageName(code, code);
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
}
