/** Files in a text: stored in the repository beside their page, for whoever can see the page. */

import { answer, api, Refusal } from "@/api/client";
import { isTaken, put } from "@/api/upload";
import { t } from "@/i18n";
import type { Attach, Attached } from "@/ui/markdown/editor/uploads";
import { endingOf } from "@/ui/markdown/endings";
import { notice, noticeFault } from "@/ui/notice";

import { leave } from "./open";
import type { Visibility, Written } from "./text";
import type { Writing } from "./writing";

export const folderOf = (pageId: string): string => `attachments/${pageId}/`;

const MOST_NAMES = 50;
const SHOWN = /^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/;

/** A name without what keys can't have. */
export function nameOf(file: Pick<File, "name" | "type">): string {
  const name = file.name.normalize("NFC").replace(/[/\\\u0000-\u001f]/g, "-").replace(/^\.+/, "").trim().slice(-120);
  return name || `file.${/^\w+\/([\w]{1,8})/.exec(file.type)?.[1] ?? "bin"}`;
}

/** `a.png`, `a 2.png`, `a 3.png`. */
export function numbered(name: string, number: number): string {
  if (number < 2) return name;
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)} ${number}${name.slice(dot)}` : `${name} ${number}`;
}

/** How files get into a text. */
export const attachTo = <Text extends Written>(writing: Writing<Text>): Attach => ({
  async store(file, onSent) {
    // For the link, if the editor is left meanwhile.
    const release = writing.subscribe(() => undefined);
    try {
      return await attached(writing, file, onSent);
    } finally {
      release();
    }
  },
  append: (link, name) => void append(writing, link, name),
});

/** Stores a file of a page; a page that isn't saved yet is saved first, since the file's folder has its ID. */
async function attached<Text extends Written>(writing: Writing<Text>, file: File, onSent: (share: number) => void): Promise<Attached> {
  if (writing.snapshot.id === null) await saved(writing);
  const { id, text } = writing.snapshot;
  if (id === null) throw new Refusal(0, { title: t("state.failed"), detail: t("markdown.attach.unsaved") });
  const made = await stored(folderOf(id), file, text.visibility, onSent);
  return { id: made.id, name: nameOf(file), isImage: SHOWN.test(file.type) };
}

async function append<Text extends Written>(writing: Writing<Text>, link: string, name: string): Promise<void> {
  const { title, body } = writing.snapshot.text;
  const ending = endingOf(body);
  const gap = body === "" ? "" : /[\r\n]$/.test(body) ? ending : ending + ending;
  writing.write({ body: body + gap + link + ending } as Partial<Text>, 0);
  await leave(writing);
  const { fault } = writing.snapshot;
  if (fault) noticeFault(fault);
  else notice(t("markdown.attach.appended", { name, title }));
}

/** An empty page has nothing to save but a title. */
async function saved<Text extends Written>(writing: Writing<Text>): Promise<void> {
  if (writing.snapshot.word === "new") writing.write({ title: t("writing.untitled") } as Partial<Text>);
  await writing.flush();
}

async function stored(folder: string, file: File, visibility: Visibility, onSent: (share: number) => void): Promise<{ id: string }> {
  for (let number = 1; ; number++) {
    const key = folder + numbered(nameOf(file), number);
    try {
      if (file.size > 0 && (await isTaken(key))) throw new Refusal(412, { code: "version_mismatch" });
      return await put(key, file, {
        headers: { "content-type": file.type || "application/octet-stream", "if-none-match": "*" },
        query: { visibility },
        onSent: (bytes) => onSent(file.size > 0 ? bytes / file.size : 1),
      });
    } catch (fault) {
      const isNameTaken = fault instanceof Refusal && (fault.status === 412 || fault.status === 409);
      if (!isNameTaken || number >= MOST_NAMES) throw fault;
    }
  }
}

const MOST_FOLLOWED = 100;

/** After a page's access level has changed, its files get the same: those that the person may change. */
export async function follow(pageId: string, visibility: Visibility): Promise<void> {
  const { items } = await answer(api.GET("/api/repo", { params: { query: { prefix: folderOf(pageId), limit: MOST_FOLLOWED } } }));
  for (const { id, visibility: now } of items) {
    if (now === visibility) continue;
    await answer(api.POST("/api/repo-obj/{id}/visibility", { params: { path: { id } }, body: { visibility } })).catch(() => undefined);
  }
}
