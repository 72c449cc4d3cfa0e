/** Keys of the queries for files, and which of them a changed file makes stale. */

import { freshness } from "@/navigation/freshness";

export const FILES = ["files"] as const;
export const LISTS = [...FILES, "list"] as const;
export const one = (id: string) => [...FILES, "one", id] as const;
export const derivations = (id: string) => [...one(id), "derivations"] as const;

// The bytes of a version, whose keys begin with the file's, never change.
export const fileFreshness = [
  freshness("object", (id) => [
    { queryKey: LISTS },
    { queryKey: one(id), exact: true },
    { queryKey: derivations(id) },
    { queryKey: ["versions", id] },
    { queryKey: ["sharing", id] },
  ]),
] as const;
