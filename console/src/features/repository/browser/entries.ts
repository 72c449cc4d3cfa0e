/** Entries of a folder: its folders and files, by one id each. */

import { t } from "@/i18n";

import { kindWord } from "../kinds";
import { nameOf } from "../place";
import type { FileItem, FolderFacts } from "../queries";

export interface FolderEntry {
  id: string;
  isFolder: true;
  key: string;
  name: string;
  /** How much is in it, if that is known. */
  facts?: FolderFacts;
}

export interface FileEntry {
  id: string;
  isFolder: false;
  key: string;
  name: string;
  item: FileItem;
}

export type Entry = FolderEntry | FileEntry;

const FOLDER = "folder:";

/** `within` is the folder that is open. */
export function folderEntry(key: string, within: string, facts?: FolderFacts): FolderEntry {
  return { id: FOLDER + key, isFolder: true, key, name: key.slice(within.length, -1) || t("files.unnamed"), facts };
}

/** The same entry for the same item, so that a row needn't render again when a long list grows. */
const made = new WeakMap<FileItem, FileEntry>();

export function fileEntry(item: FileItem): FileEntry {
  const known = made.get(item);
  if (known) return known;
  const entry: FileEntry = { id: item.id, isFolder: false, key: item.key, name: nameOf(item.key) || item.filename, item };
  made.set(item, entry);
  return entry;
}

/** Type of an entry, in words. */
export const typeOf = (entry: Entry): string =>
  entry.isFolder ? t("files.kind.folder") : kindWord(entry.item.content_type, entry.item.filename);

/** `12 items`; nothing if that isn't known. */
export function itemsOf({ facts }: FolderEntry): string {
  return facts ? t(facts.is_complete ? "files.folder.items" : "files.folder.many", { count: facts.items }) : "";
}

/** Last change of a file, or in a folder if it is known. */
export const changeOf = (entry: Entry): string | undefined => (entry.isFolder ? (entry.facts?.updated_at ?? undefined) : entry.item.updated_at);
