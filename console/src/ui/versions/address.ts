/** Which version of an item is shown, and how; in the address, so that a link to it can be sent. */

import { useSearch } from "@tanstack/react-router";

export type Against = "newest" | "before";
export const VIEWS = ["changes", "source", "read"] as const;
/** How it reads now, with what has changed; the same in the text as it is stored; or the old text alone. */
export type View = (typeof VIEWS)[number];

export interface Shown {
  version: number;
  against: Against;
  view: View;
}

export interface Search {
  version?: unknown;
  against?: unknown;
  view?: unknown;
  /** A passage to show. */
  quote?: unknown;
}

/** The newest version, without a passage. */
export const NEWEST = { version: undefined, against: undefined, view: undefined, quote: undefined };

/** What belongs to the open item in an address: not kept on the way to another one. */
export const OF_ITEM = { ...NEWEST, edit: undefined };

/** Undefined for the newest version. The first of the views is what is shown if the address has none. */
export function shownIn(search: Search, newest: number, views: readonly View[]): Shown | undefined {
  const version = Number(search.version);
  if (!Number.isInteger(version) || version < 1 || version >= newest) return undefined;
  const usual = search.quote === undefined ? (views[0] ?? "read") : "read";
  return { version, against: search.against === "before" ? "before" : "newest", view: views.find((view) => view === search.view) ?? usual };
}

export const useShown = (newest: number, views: readonly View[]): Shown | undefined => shownIn(useSearch({ strict: false }) as Search, newest, views);

/** Older first. */
export function pairOf({ version, against }: Pick<Shown, "version" | "against">, newest: number): [older: number, newer: number] {
  return against === "newest" ? [version, newest] : [Math.max(1, version - 1), version];
}
