/** Keys of the queries for the company, and what makes its people stale. */

import { freshness } from "@/navigation/freshness";

export const COMPANY = ["company"] as const;
export const TEAMS = [...COMPANY, "teams"] as const;
export const PEOPLE = [...COMPANY, "people"] as const;

export const companyFreshness = [freshness("member", () => [{ queryKey: PEOPLE }])] as const;
