/** Keys of a list of files, which handles them itself while it has the focus; the overview of keys names them. */

import { localKeys } from "@/navigation/tables";

import type { Deed } from "./actions";

const AMONG_FILES = /\/files$/;

export const DEED_KEYS: Readonly<Record<string, Deed>> = {
  F2: "rename", "Shift M": "move", "Shift C": "copy", "Shift S": "share", "Shift D": "download", Delete: "delete",
};

const needs = { rename: "files:write", move: "files:write", copy: "files:write", share: "files:write", download: undefined, delete: "files:write" } as const;

export const fileKeys = [
  localKeys("Enter", "files.keys.open", AMONG_FILES),
  localKeys("Backspace", "files.keys.up", AMONG_FILES),
  localKeys("letters", "files.keys.letters", AMONG_FILES),
  localKeys("Space", "files.keys.select", AMONG_FILES),
  localKeys("Shift ↑ ↓", "files.keys.range", AMONG_FILES),
  localKeys("Ctrl A", "files.select.all", AMONG_FILES),
  localKeys("Escape", "files.selected.clear", AMONG_FILES),
  ...Object.entries(DEED_KEYS).map(([keys, deed]) => localKeys(keys, `files.do.${deed}`, AMONG_FILES, { permission: needs[deed] })),
  localKeys("Shift F10", "files.keys.menu", AMONG_FILES),
] as const;

const SHIFTED = /^(\p{L}|F\d+)$/u;

/** A pressed key, as the tables write it; undefined with other modifiers, which belong to the browser. */
export function pressed({ key, shiftKey, ctrlKey, metaKey, altKey }: Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">): string | undefined {
  if (altKey) return undefined;
  if (ctrlKey || metaKey) return shiftKey ? undefined : `Ctrl ${key.toUpperCase()}`;
  if (key === " ") return "Space";
  return shiftKey && SHIFTED.test(key) ? `Shift ${key.toUpperCase()}` : key;
}
