/** Tags of the loaded notes: the API has no list of tags. */

import { byName } from "@/i18n";

import { useFilters } from "./filters";
import { useNotes } from "./queries";

export function useKnownTags(): string[] {
  const notes = useNotes(useFilters());
  return [...new Set(notes.data?.flatMap((note) => note.tags))].sort(byName);
}
