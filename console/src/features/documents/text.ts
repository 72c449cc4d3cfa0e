/** Editable fields of a document. */

import type { Schemas } from "@/api/client";
import { mannerOf, type Written } from "@/ui/writing/text";

export type Document = Schemas["Document"];
export type DocumentItem = Schemas["DocumentItem"];

/** Every save is a version: save when the writer pauses, not on every thought. */
const PACE = { pause: 30_000, longest: 300_000 };

export interface DocumentText extends Written {
  tags: string[];
}

export const DOCUMENTS = mannerOf<DocumentText>("document", { title: "", body: "", visibility: "private", tags: [] }, PACE);

/** Title and body as one text, for a diff. */
export const wholeOf = ({ title, body }: Pick<Document, "title" | "body">): string => `# ${title}\n\n${body}`;
