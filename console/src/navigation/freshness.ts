/** The rows that features declare of what they fetched: which queries a change on the server makes stale. */

import type { QueryKey } from "@tanstack/react-query";

export interface Stale {
  queryKey: QueryKey;
  /** Only this query, not those whose keys begin with its key. */
  exact?: true;
}

export interface Freshness {
  /** The type of the thing that changed, such as `note`. */
  type: string;
  stale: (id: string) => readonly Stale[];
}

export const freshness = (type: string, stale: Freshness["stale"]): Freshness => ({ type, stale });
