/** The language of this browser's user before they sign in: what they chose, or else the browser's. */

const NAME = "language";

export function preferredLanguage(): string {
  return localStorage.getItem(NAME) ?? navigator.language;
}

export function preferLanguage(locale: string): void {
  localStorage.setItem(NAME, locale);
}
