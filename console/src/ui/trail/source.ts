/** Where a trail comes from, and what is asked of it: a team's, a company's or the instance's own look the same. */

import type { Schemas } from "@/api/client";
import type { Member } from "@/api/people";

import type { PageOf } from "../endless";

export type TrailEvent = Schemas["Event"];

/** What the server takes as a query, without its pages. */
export interface TrailQuery {
  /** A person's id, or the kind of one who is no person. */
  actor?: string;
  /** `note.create`, or `note.` for all that begins with it. */
  action?: string;
  target?: string;
  since?: string;
  until?: string;
}

export interface TrailSource {
  /** For the cache and the exported file: `team`, `company`, `instance`. */
  name: string;
  read: (query: TrailQuery & { cursor?: string }) => Promise<PageOf<TrailEvent>>;
  /** The same as JSON lines. */
  take: (query: TrailQuery) => Promise<Blob>;
  /** Whose names are known: to say who did something, and to choose by. */
  people: readonly Member[];
  /** Where events of several teams stand together, how these are called. */
  teams?: readonly { id: string; name: string }[];
  /** The trail is a part of a longer chain, so that numbers are missing in it. */
  partial?: boolean;
}
