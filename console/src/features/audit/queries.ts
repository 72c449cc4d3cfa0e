/** The team's audit trail at the server. */

import { answer, api } from "@/api/client";
import type { Member } from "@/api/people";
import type { PageOf } from "@/ui/endless";
import type { TrailEvent, TrailSource } from "@/ui/trail/source";

export function teamTrail(people: readonly Member[]): TrailSource {
  return {
    name: "team",
    // Two kinds of body are described, and without the header it is this one.
    read: (query) => answer(api.GET("/api/audit", { params: { query } })) as Promise<PageOf<TrailEvent>>,
    take: (query) =>
      answer(
        api.GET("/api/audit", { params: { query }, headers: { accept: "application/x-ndjson" }, parseAs: "blob" }),
      ),
    people,
    partial: true,
  };
}
