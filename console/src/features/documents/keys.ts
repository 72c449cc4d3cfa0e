/** Keys of the queries for documents, and which of them a changed file makes stale. */

import { freshness } from "@/navigation/freshness";
import { presenceOf } from "@/ui/presence/keys";
import { REFERENCES } from "@/ui/references/keys";

export const LISTS = ["documents", "list"] as const;
export const one = (id: string) => ["documents", "one", id] as const;

// Old versions, whose keys begin with the document's, never change.
export const documentFreshness = [
  freshness("object", (id) => [{ queryKey: LISTS }, { queryKey: one(id), exact: true }, { queryKey: REFERENCES }]),
  freshness("object_presence", (id) => [{ queryKey: presenceOf("object", id) }]),
] as const;
