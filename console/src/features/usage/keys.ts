/** Keys of the queries for usage, and what makes them stale. */

import { freshness } from "@/navigation/freshness";

export const USAGE = ["usage"] as const;

export const usageFreshness = [freshness("usage", () => [{ queryKey: USAGE }])] as const;
