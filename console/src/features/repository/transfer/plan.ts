/** What a move or copy of entries does: one step per object, at its new key. */

import { answer, api } from "@/api/client";
import { t } from "@/i18n";

import type { Entry } from "../browser/entries";
import { folderOf } from "../place";
import type { FileItem } from "../queries";
import type { Gather, Step } from "./transfer";

const PAGE = 200;
/** Folders with more files are moved in pieces. */
export const MOST_FILES = 20_000;

/** The key of an object when the folder `from` becomes `to`. */
export const newKey = (key: string, from: string, to: string): string => to + key.slice(from.length);

/** Whether a folder would go into itself. */
export const intoItself = (folder: string, target: string): boolean => target.startsWith(folder);

/** The folder that contains an entry. */
export const parentOf = ({ isFolder, key }: Entry): string => folderOf(isFolder ? key.slice(0, -1) : key);

/** Steps that put entries into a folder. */
export const into = (entries: readonly Entry[], target: string): Gather =>
  gathering(entries, (entry, key) => newKey(key, parentOf(entry), target));

/** Steps that give an entry another name. */
export const renaming = (entry: Entry, name: string): Gather =>
  gathering([entry], (_, key) => (entry.isFolder ? newKey(key, entry.key, `${parentOf(entry)}${name}/`) : parentOf(entry) + name));

/** All objects of the entries, as they are. */
export const each = (entries: readonly Entry[]): Gather => gathering(entries, (_, key) => key);

export const back =
  (performed: readonly Step[]): Gather =>
  () =>
    Promise.resolve(performed.map(({ id, from, to }) => ({ id, from: to, to: from })));

function gathering(entries: readonly Entry[], target: (entry: Entry, key: string) => string): Gather {
  return async (signal, found) => {
    const steps: Step[] = [];
    for (const entry of entries) {
      const add = ({ id, key }: Pick<FileItem, "id" | "key">): void => void steps.push({ id, from: key, to: target(entry, key) });
      if (!entry.isFolder) add(entry.item);
      else for await (const items of within(entry.key, signal)) {
        items.forEach(add);
        found(steps.length);
        if (steps.length > MOST_FILES) throw new Error(t("files.transfer.many", { count: MOST_FILES }));
      }
    }
    return steps;
  };
}

/** All objects below a folder, page by page. */
async function* within(prefix: string, signal: AbortSignal): AsyncGenerator<FileItem[]> {
  let cursor: string | undefined;
  do {
    const page = await answer(api.GET("/api/repo", { params: { query: { prefix, cursor, limit: PAGE } }, signal }));
    yield page.items;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
