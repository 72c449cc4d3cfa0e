/** Keys of the queries for conversations, and which of them a changed conversation makes stale. */

import { freshness } from "@/navigation/freshness";
import { presenceOf } from "@/ui/presence/keys";
import { sharingOf } from "@/ui/sharing/keys";

export const CONVERSATIONS = ["conversations"] as const;
export const LISTS = [...CONVERSATIONS, "list"] as const;
export const one = (id: string) => [...CONVERSATIONS, "one", id] as const;

export const chatFreshness = [
  freshness("conversation", (id) => [{ queryKey: LISTS }, { queryKey: one(id) }, { queryKey: sharingOf(id) }]),
  freshness("conversation_presence", (id) => [{ queryKey: presenceOf("conversation", id) }]),
] as const;
