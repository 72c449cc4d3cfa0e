/** Keys of the queries for conversations, and which of them a changed conversation makes stale. */

import { freshness } from "@/navigation/freshness";
import { sharingOf } from "@/ui/sharing/keys";

export const CONVERSATIONS = ["conversations"] as const;
export const LISTS = [...CONVERSATIONS, "list"] as const;
export const one = (id: string) => [...CONVERSATIONS, "one", id] as const;

export const chatFreshness = [freshness("conversation", (id) => [{ queryKey: LISTS }, { queryKey: one(id) }, { queryKey: sharingOf(id) }])] as const;
