/** Finds a quote in the text that it is from. */

export interface Passage {
  before: string;
  quote: string;
  after: string;
  /** There is more text before or after. */
  isCut: { before: boolean; after: boolean };
}

/** Letters on either side of a quote: more would take long to lay out, and nobody reads it in a panel. */
const AROUND = 6_000;

interface Place {
  start: number;
  end: number;
}

export interface Quoted {
  quote: string;
  start?: number | null;
  end?: number | null;
}

/** Undefined if the text doesn't have the quote. */
export function placeOf(text: string, { quote, start, end }: Quoted): Place | undefined {
  if (quote.trim() === "") return undefined;
  if (typeof start === "number" && typeof end === "number" && loose(text.slice(start, end)) === loose(quote)) return { start, end };
  const words = quote.trim().split(/\s+/).map(escaped);
  const found = new RegExp(words.join("\\s+"), "iu").exec(text);
  return found ? { start: found.index, end: found.index + found[0].length } : undefined;
}

const loose = (text: string): string => text.replace(/\s+/g, " ").trim().toLowerCase();
const escaped = (word: string): string => word.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&").replace(/[“”]/g, '["“”]');

/** The text around a quote, or its beginning without one. */
export function passageOf(text: string, place: Place | undefined): Passage {
  const { start, end } = place ?? { start: 0, end: 0 };
  const from = Math.max(0, start - AROUND);
  const to = Math.min(text.length, end + AROUND);
  return {
    before: text.slice(from, start),
    quote: text.slice(start, end),
    after: text.slice(end, to),
    isCut: { before: from > 0, after: to < text.length },
  };
}
