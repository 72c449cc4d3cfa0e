/** Keys of the queries for search, and what makes results stale. */

import { freshness } from "@/navigation/freshness";

export const SEARCH = ["search"] as const;

export const searchFreshness = ["note", "object", "entity", "conversation"].map((type) => freshness(type, () => [{ queryKey: SEARCH }]));
