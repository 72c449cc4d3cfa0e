/** The text of a version of a file, and the number of its newest version. */

import { answer, api } from "@/api/client";

export interface VersionText {
  text: string;
  /** The newest version. */
  version: number;
}

export async function fetchFileText(id: string, version?: number | null): Promise<VersionText> {
  const params = { path: { id }, query: { as: "text" as const, ...(version ? { version } : {}) } };
  const [object, content] = await Promise.all([
    answer(api.GET("/api/repo-obj/{id}", { params: { path: { id } } })),
    api.GET("/api/repo-obj/{id}/content", { params, parseAs: "text" }),
  ]);
  return { text: content.data as unknown as string, version: object.version };
}
