/** Data source of an audit log: a team's or a company's. */

import type { Schemas } from "@/api/client";
import type { Member } from "@/api/people";

import type { PageOf } from "../endless";

export type TrailEvent = Schemas["AuditEvent"];

/** API query, without paging. */
export interface TrailQuery {
  /** A person's ID, or the kind of a non-human actor. */
  actor?: string;
  /** `note.create`, or the prefix `note.`. */
  action?: string;
  target?: string;
  since?: string;
  until?: string;
}

export interface TrailSource {
  /** For the cache and the file name: `team`, `company`, `instance`. */
  name: string;
  read: (query: TrailQuery & { cursor?: string }) => Promise<PageOf<TrailEvent>>;
  /** The same as JSON Lines. */
  take: (query: TrailQuery) => Promise<Blob>;
  /** Known people, to show names and to filter by. */
  people: readonly Member[];
  /** Team names, where events of several teams are listed. */
  teams?: readonly { id: string; name: string }[];
  /** Part of a longer chain, so sequence numbers have gaps. */
  partial?: boolean;
}
