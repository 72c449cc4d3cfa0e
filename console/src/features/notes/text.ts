/** Editable fields of a note. */

import type { Schemas } from "@/api/client";
import { mannerOf, type Written } from "@/ui/writing/text";

export type Note = Schemas["Note"];
export type NoteItem = Schemas["NoteItem"];

export interface NoteText extends Written {
  tags: string[];
}

export const NOTES = mannerOf<NoteText>("note", { title: "", body: "", visibility: "private", tags: [] });
const EXCERPT = 280;

/** A note in a list. */
export function itemOf(note: Note): NoteItem {
  const { id, title, visibility, tags, owner, team_id, version, created_at, updated_at } = note;
  return { id, title, visibility, tags, owner, team_id, version, created_at, updated_at, excerpt: note.body.slice(0, EXCERPT) };
}
