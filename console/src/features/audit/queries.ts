/** API queries for the team's audit log. */

import { answer, api } from "@/api/client";
import type { Member } from "@/api/people";
import type { TrailSource } from "@/ui/trail/source";

export function teamTrail(people: readonly Member[]): TrailSource {
  return {
    name: "team",
    read: (query) => answer(api.GET("/api/audit", { params: { query } })),
    take: (query) =>
      answer(
        api.GET("/api/audit", { params: { query }, headers: { accept: "application/x-ndjson" }, parseAs: "blob" }),
      ),
    people,
    partial: true,
  };
}
