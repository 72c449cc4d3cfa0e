/** Keys of the queries for notes, and which of them a changed note makes stale. */

import { freshness } from "@/navigation/freshness";
import { presenceOf } from "@/ui/presence/keys";
import { REFERENCES } from "@/ui/references/keys";
import { sharingOf } from "@/ui/sharing/keys";

export const LISTS = ["notes", "list"] as const;
export const one = (id: string) => ["notes", "one", id] as const;

export const noteFreshness = [
  freshness("note", (id) => [{ queryKey: LISTS }, { queryKey: one(id) }, { queryKey: REFERENCES }, { queryKey: sharingOf(id) }]),
  freshness("note_presence", (id) => [{ queryKey: presenceOf("note", id) }]),
] as const;
