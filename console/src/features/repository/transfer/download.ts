/** Downloads one file as it is, and anything else as a zip. */

import { request } from "@/api/request";
import { t } from "@/i18n";
import { saveFile } from "@/ui/saveFile";

import type { Entry } from "../browser/entries";
import { fetchBytes } from "../queries";
import { parentOf } from "./plan";

export async function download(entries: readonly Entry[]): Promise<void> {
  const [first] = entries;
  if (!first) return;
  if (entries.length === 1 && !first.isFolder) {
    saveFile(first.item.filename, await fetchBytes(first.id, first.item.version));
    return;
  }
  const ids = entries.filter(({ isFolder }) => !isFolder).map(({ id }) => id);
  const prefixes = entries.filter(({ isFolder }) => isFolder).map(({ key }) => key);
  const response = await request("POST", "/api/repo-zip", { ids, prefixes });
  saveFile(`${zipName(entries, first)}.zip`, await response.blob());
}

/** The folder's own name, or that of the folder that the entries are in. */
function zipName(entries: readonly Entry[], first: Entry): string {
  if (entries.length === 1) return first.name;
  return parentOf(first).split("/").at(-2) || t("files.title");
}
