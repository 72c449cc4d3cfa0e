/** Downloads one file as it is, and anything else as a zip. The browser saves both to disk while they arrive. */

import { answer, api, Refusal } from "@/api/client";
import { request } from "@/api/request";
import { t } from "@/i18n";
import { saveFile, saveFrom } from "@/ui/saveFile";

import type { Entry } from "../browser/entries";
import { fetchAddress } from "../queries";
import { parentOf } from "./plan";

/** The server's refusal of a list that's too long for an address. */
const TOO_LONG = "repository.zip_address";

export async function download(entries: readonly Entry[]): Promise<void> {
  const [first] = entries;
  if (!first) return;
  if (entries.length === 1 && !first.isFolder) {
    await downloadFile(first.id, first.item.version, first.item.filename);
    return;
  }
  const ids = entries.filter(({ isFolder }) => !isFolder).map(({ id }) => id);
  const prefixes = entries.filter(({ isFolder }) => isFolder).map(({ key }) => key);
  await downloadZip(`${zipName(entries, first)}.zip`, { ids, prefixes });
}

export async function downloadFile(id: string, version: number, filename: string): Promise<void> {
  const { address } = await fetchAddress(id, version);
  saveFrom(`${address}?download=1`, filename);
}

async function downloadZip(name: string, body: { ids: string[]; prefixes: string[] }): Promise<void> {
  try {
    saveFrom((await answer(api.POST("/api/repo-zip/address", { body }))).address, name);
  } catch (fault) {
    if (!(fault instanceof Refusal) || fault.problem.key !== TOO_LONG) throw fault;
    saveFile(name, await (await request("POST", "/api/repo-zip", body)).blob());
  }
}

/** The folder's own name, or that of the folder that the entries are in. */
function zipName(entries: readonly Entry[], first: Entry): string {
  if (entries.length === 1) return first.name;
  return parentOf(first).split("/").at(-2) || t("files.title");
}
