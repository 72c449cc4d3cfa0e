/** The tags of the notes that were read so far: the server keeps no list of them. */

import { byName } from "@/i18n";

import { useFilters } from "./filters";
import { useNotes } from "./queries";

export function useKnownTags(): string[] {
  const notes = useNotes(useFilters());
  return [...new Set(notes.data?.flatMap((note) => note.tags))].sort(byName);
}
