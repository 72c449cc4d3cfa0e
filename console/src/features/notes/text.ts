/** What of a note people change, and how two states of it differ. */

import type { Schemas } from "@/api/client";

export type Note = Schemas["Note"];
export type NoteItem = Schemas["NoteItem"];
export type NoteChange = Schemas["NoteChange"];
export type Visibility = Note["visibility"];

export interface NoteText {
  title: string;
  body: string;
  visibility: Visibility;
  tags: string[];
}

export const EMPTY: NoteText = { title: "", body: "", visibility: "private", tags: [] };
export const LONGEST_TITLE = 200;
export const LONGEST_TAG = 50;
export const MOST_TAGS = 20;
const EXCERPT = 280;

export function textOf(note: NoteText): NoteText {
  const { title, body, visibility, tags } = note;
  return { title, body, visibility, tags };
}

const sameTags = (one: string[], other: string[]): boolean =>
  one.length === other.length && one.every((tag, index) => tag === other[index]);

/** Equal for the server: it trims a title. */
export function same(one: NoteText, other: NoteText): boolean {
  return (
    one.title.trim() === other.title.trim() &&
    one.body === other.body &&
    one.visibility === other.visibility &&
    sameTags(one.tags, other.tags)
  );
}

/** Only what differs is sent, so that what others changed beside it stays. */
export function changeOf(base: NoteText, mine: NoteText): NoteChange {
  return {
    ...(mine.title.trim() === base.title.trim() ? {} : { title: mine.title.trim() }),
    ...(mine.body === base.body ? {} : { body: mine.body }),
    ...(mine.visibility === base.visibility ? {} : { visibility: mine.visibility }),
    ...(sameTags(mine.tags, base.tags) ? {} : { tags: mine.tags }),
  };
}

/** A note as a list shows it. */
export function itemOf(note: Note): NoteItem {
  const { id, title, visibility, tags, owner, team_id, version, created_at, updated_at } = note;
  return { id, title, visibility, tags, owner, team_id, version, created_at, updated_at, excerpt: note.body.slice(0, EXCERPT) };
}
