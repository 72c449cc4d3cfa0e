/** Formats of the current locale, kept: making one costs far more than using it, and lists use them in every row. */

import { currentLocale } from ".";

function kept<Style, Format>(make: (locale: string, style: Style) => Format): (style: Style) => Format {
  const formats = new Map<string, Format>();
  return (style) => {
    const key = JSON.stringify([currentLocale(), style]);
    const known = formats.get(key);
    if (known) return known;
    const made = make(currentLocale(), style);
    formats.set(key, made);
    return made;
  };
}

export const numberFormat = kept((locale, style: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, style));
export const relativeFormat = kept((locale, style: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, style));
