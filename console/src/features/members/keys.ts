/** Keys of the queries for the team's people, and what makes them stale. */

import { freshness } from "@/navigation/freshness";

/** Names of people in other screens have keys that begin with this one. */
export const MEMBERS = ["members"] as const;

export const memberFreshness = [freshness("member", () => [{ queryKey: MEMBERS }])] as const;
