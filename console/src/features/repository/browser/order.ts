/** Order of a folder's entries: by one column; it follows the account. */

import { byName, t } from "@/i18n";
import { usePrefer, usePreferences } from "@/session/preferences";

import { typeOf, type Entry, type FileEntry, type FolderEntry } from "./entries";

export const COLUMNS = ["name", "size", "kind", "changed", "visibility", "owner"] as const;
export type Column = (typeof COLUMNS)[number];

export interface Order {
  by: Column;
  descending: boolean;
}

/**
 * More entries than this stay in the server's order. It lists by key, so that any page costs the same; sorting only the
 * pages that are loaded would put a file first that isn't.
 */
export const MOST_SORTED = 5_000;

/** Text starts ascending; the largest and the newest come first. */
export function turned(order: Order, by: Column): Order {
  if (order.by === by) return { by, descending: !order.descending };
  return { by, descending: by === "size" || by === "changed" };
}

export function useOrder(): [Order, (order: Order) => void] {
  const { files_by: by, files_descending: descending } = usePreferences();
  const prefer = usePrefer();
  return [{ by, descending }, (order) => prefer({ files_by: order.by, files_descending: order.descending })];
}

/** The name of a person, by id. */
type NameOf = (userId: string) => string;

/** Folders first, whatever the direction. */
export function inOrder(folders: readonly FolderEntry[], files: readonly FileEntry[], { by, descending }: Order, nameOf: NameOf): Entry[] {
  const turn = descending ? -1 : 1;
  const ofFolders = by === "name" ? turn : 1;
  const compare = comparison(by, nameOf);
  return [
    ...[...folders].sort((one, other) => ofFolders * byName(one.name, other.name)),
    ...[...files].sort((one, other) => turn * compare(one, other) || byName(one.name, other.name)),
  ];
}

type Comparison = (one: FileEntry, other: FileEntry) => number;

const comparison = (by: Column, nameOf: NameOf): Comparison =>
  by === "owner" ? (one, other) => byName(nameOf(one.item.owner), nameOf(other.item.owner)) : COMPARE[by];

const COMPARE: Record<Exclude<Column, "owner">, Comparison> = {
  name: (one, other) => byName(one.name, other.name) || compared(one.key, other.key),
  size: (one, other) => one.item.size - other.item.size,
  kind: (one, other) => byName(typeOf(one), typeOf(other)),
  changed: (one, other) => compared(one.item.updated_at, other.item.updated_at),
  visibility: (one, other) => byName(t(`visibility.${one.item.visibility}`), t(`visibility.${other.item.visibility}`)),
};

const compared = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
