/** The writing direction of a locale. */

export type Direction = "ltr" | "rtl";

/** Not every browser knows `getTextInfo`. */
type Info = { direction: Direction };
type Described = Intl.Locale & { getTextInfo?: () => Info; textInfo?: Info };

const RIGHT_TO_LEFT_SCRIPTS = new Set(["Adlm", "Arab", "Hebr", "Mand", "Nkoo", "Rohg", "Syrc", "Thaa"]);

export function directionOf(locale: string): Direction {
  try {
    const described: Described = new Intl.Locale(locale);
    const info = described.getTextInfo?.() ?? described.textInfo;
    return info?.direction ?? byScript(described);
  } catch {
    return "ltr";
  }
}

function byScript(locale: Intl.Locale): Direction {
  return RIGHT_TO_LEFT_SCRIPTS.has(locale.maximize().script ?? "") ? "rtl" : "ltr";
}
