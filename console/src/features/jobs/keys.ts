/** Keys of the queries for jobs, and which of them a changed job makes stale. */

import { freshness } from "@/navigation/freshness";

export const JOBS = ["jobs"] as const;
export const LISTS = [...JOBS, "list"] as const;
export const ACTIVE = [...JOBS, "active"] as const;
export const LATEST = [...JOBS, "latest"] as const;
export const one = (id: string) => [...JOBS, "one", id] as const;

export const jobFreshness = [
  freshness("job", (id) => [LISTS, ACTIVE, LATEST, one(id)].map((queryKey) => ({ queryKey }))),
] as const;
