/** How a message reads with values that are made up for it. */

import { IntlMessageFormat } from "intl-messageformat";

type Part = ReturnType<IntlMessageFormat["getAst"]>[number];

const [ARGUMENT, NUMBER, DATE, TIME, SELECT, PLURAL, TAG] = [1, 2, 3, 4, 5, 6, 8];
const NUMBERS = [1, 2, 3, 5, 0, 6, 11, 20, 100, 1_000_000, 1.5];

interface Values {
  [name: string]: unknown;
}

/** One line, or one for each plural form of the language; undefined if it isn't a message. */
export function samplesOf(text: string, locale: string): string[] | undefined {
  try {
    const message = new IntlMessageFormat(text, locale);
    const parts = message.getAst();
    return [...new Set(numbersOf(parts, locale).map((number) => String(message.format(valuesOf(parts, number) as never))))];
  } catch {
    return undefined;
  }
}

/** The first number of each plural form, if there are plurals. */
function numbersOf(parts: Part[], locale: string): number[] {
  if (!hasPlural(parts)) return [3];
  const rules = new Intl.PluralRules(locale);
  const forms = new Map<string, number>();
  for (const number of NUMBERS) if (!forms.has(rules.select(number))) forms.set(rules.select(number), number);
  return [...forms.values()];
}

const branches = (part: Part): Part[][] =>
  "options" in part ? Object.values(part.options).map(({ value }) => value) : "children" in part ? [part.children] : [];

const hasPlural = (parts: Part[]): boolean => parts.some((part) => part.type === PLURAL || branches(part).some(hasPlural));

function valuesOf(parts: Part[], number: number): Values {
  return Object.assign({}, ...parts.map((part) => ({ ...valueOf(part, number), ...branches(part).reduce((all, inner) => ({ ...all, ...valuesOf(inner, number) }), {}) }))) as Values;
}

function valueOf(part: Part, number: number): Values {
  if (!("value" in part)) return {};
  if (part.type === ARGUMENT) return { [part.value]: `‹${part.value}›` };
  if (part.type === NUMBER || part.type === PLURAL) return { [part.value]: number };
  if (part.type === DATE || part.type === TIME) return { [part.value]: new Date(2026, 4, 17, 14, 30) };
  if (part.type === SELECT && "options" in part) return { [part.value]: Object.keys(part.options)[0] };
  if (part.type === TAG) return { [part.value]: (inner: unknown[]) => inner.join("") };
  return {};
}
