/** Downloads one file as it is, and anything else as a zip. The browser saves both to disk while they arrive. */

import { answer, api } from "@/api/client";
import { t } from "@/i18n";
import { noticeText } from "@/ui/notice";
import { saveFrom, saveFromForm } from "@/ui/saveFile";

import type { Entry } from "../browser/entries";
import { fetchAddress } from "../queries";
import { parentOf } from "./plan";

/** In one zip: the server looks into each folder before it begins. */
const MOST_FOLDERS = 100;
const MOST_FILES = 10_000;

export async function download(entries: readonly Entry[]): Promise<void> {
  const [first] = entries;
  if (!first) return;
  if (entries.length === 1 && !first.isFolder) {
    await downloadFile(first.id, first.item.version, first.item.filename);
    return;
  }
  const ids = entries.filter(({ isFolder }) => !isFolder).map(({ id }) => id);
  const prefixes = entries.filter(({ isFolder }) => isFolder).map(({ key }) => key);
  if (prefixes.length > MOST_FOLDERS) return noticeText(t("files.download.folders", { count: MOST_FOLDERS }));
  if (ids.length > MOST_FILES) return noticeText(t("files.transfer.many", { count: MOST_FILES }));
  const body = { ids, prefixes, name: `${zipName(entries, first)}.zip` };
  const { list } = await answer(api.POST("/api/repo-zip/list", { body }));
  saveFromForm("/api/repo-zip/form", { list }, () => noticeText(t("files.download.failed")));
}

export async function downloadFile(id: string, version: number, filename: string): Promise<void> {
  const { address } = await fetchAddress(id, version);
  saveFrom(`${address}?download=1`, filename);
}

/** The folder's own name, or that of the folder that the entries are in. */
function zipName(entries: readonly Entry[], first: Entry): string {
  if (entries.length === 1) return first.name;
  return parentOf(first).split("/").at(-2) || t("files.title");
}
