/** Key of the query for the trash, which every deleted or restored note or file makes stale. */

import { freshness } from "@/navigation/freshness";

export const TRASH = ["trash"] as const;

export const trashFreshness = [
  freshness("note", () => [{ queryKey: TRASH }]),
  freshness("object", () => [{ queryKey: TRASH }]),
] as const;
