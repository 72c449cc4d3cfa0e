/** What a link in a text can lead to: notes, documents and files by their words, and the people of the team. */

import type { QueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { peopleQuery } from "@/api/people";
import { t } from "@/i18n";
import { isDocument } from "@/ui/documents";

export interface Target {
  address: string;
  title: string;
  detail: string;
}

const FEW = 10;
const LONGEST = 256;

type Found = Pick<Schemas["SearchResult"], "type" | "id" | "title" | "content_type">;

/** A Markdown file is a document. */
export function targetOf({ type, id, title, content_type: contentType }: Found): Target {
  if (type === "note") return { address: `/notes/${id}`, title, detail: t("markdown.target.note") };
  if (isDocument(contentType)) return { address: `/documents/${id}`, title, detail: t("markdown.target.document") };
  return { address: `/files/${id}`, title, detail: t("markdown.target.file") };
}

/** Without words, the pages that were changed last. */
export async function pages(words: string): Promise<Target[]> {
  if (words !== "") {
    const { items } = await answer(api.GET("/api/search", { params: { query: { q: words.slice(0, LONGEST), types: ["note", "object"], limit: FEW } } }));
    return items.map(targetOf);
  }
  const [notes, documents] = await Promise.all([
    answer(api.GET("/api/notes", { params: { query: { limit: FEW / 2 } } })),
    answer(api.GET("/api/documents", { params: { query: { limit: FEW / 2 } } })),
  ]);
  return [
    ...notes.items.map(({ id, title }) => ({ address: `/notes/${id}`, title, detail: t("markdown.target.note") })),
    ...documents.items.map(({ id, title }) => ({ address: `/documents/${id}`, title, detail: t("markdown.target.document") })),
  ];
}

/** With the other queries they are forgotten when somebody else signs in or the team changes. */
export async function people(queries: QueryClient): Promise<Target[]> {
  const members = await queries.fetchQuery(peopleQuery());
  return members.map((member) => ({ address: `/people/${member.user_id}`, title: member.display_name, detail: member.username }));
}
