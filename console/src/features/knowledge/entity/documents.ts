/** Mentions by document, and documents over time. */

import type { Entity, EntityDocument, Mention, Quote } from "../api";

export interface Cited extends EntityDocument {
  quotes: Mention[];
}

/** Documents, newest first, each with its mentions in the order of the text. */
export function documentsOf({ timeline, mentions }: Pick<Entity, "timeline" | "mentions">): Cited[] {
  const quotes = groups(mentions, ({ object_id }) => object_id);
  return timeline
    .map((document) => ({
      ...document,
      quotes: (quotes.get(document.object_id) ?? []).sort((one, other) => one.start - other.start),
    }))
    .sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
}

/** Names the place of a quote in the address. */
export const placeOfQuote = ({ object_id, version, start, end }: Quote): string => `${object_id}:${version}:${start}-${end}`;

/** All mentions of a name in a document: they can only be split off together. */
export interface SameName {
  key: string;
  written: string;
  document: Cited;
  quotes: Mention[];
}

export function sameNames(documents: readonly Cited[]): SameName[] {
  return documents.flatMap((document) =>
    [...groups(document.quotes, ({ written }) => written.toLocaleLowerCase())].map(([name, quotes]) => ({
      key: `${document.object_id} ${name}`, written: quotes[0]?.written ?? name, document, quotes,
    })),
  ); // prettier-ignore
}

export interface Span {
  /** Milliseconds since the epoch. */
  from: number;
  until: number;
  documents: Cited[];
  mentions: number;
}

const MOST = 24;
/** Documents that are uploaded together are of one moment. */
const MOMENT = 60_000;

/** Equal spans of time from the oldest to the newest document; those in between that have none are there, too. */
export function spansOf(documents: readonly Cited[], most = MOST): Span[] {
  const times = documents.map(({ at }) => Date.parse(at));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  if (documents.length === 0 || last - first < MOMENT) return [];
  const count = Math.max(2, Math.min(most, documents.length * 3));
  const length = (last - first) / count;
  const spans: Span[] = Array.from({ length: count }, (_, place) => ({
    from: first + place * length, until: first + (place + 1) * length, documents: [], mentions: 0,
  })); // prettier-ignore
  documents.forEach((document, place) => {
    const span = spans[Math.min(count - 1, Math.floor(((times[place] ?? first) - first) / length))];
    span?.documents.push(document);
    if (span) span.mentions += document.mentions;
  });
  return spans;
}

function groups<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const found = new Map<string, Item[]>();
  for (const item of items) found.set(keyOf(item), [...(found.get(keyOf(item)) ?? []), item]);
  return found;
}
