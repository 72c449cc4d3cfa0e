/** What of a document people change. */

import type { Schemas } from "@/api/client";
import { mannerOf, type Written } from "@/ui/writing/text";

export type Document = Schemas["Document"];
export type DocumentItem = Schemas["DocumentItem"];

export const DOCUMENTS = mannerOf<Written>("document", { title: "", body: "", visibility: "private" });

/** Title and body as one text, to be compared. */
export const wholeOf = ({ title, body }: Pick<Document, "title" | "body">): string => `# ${title}\n\n${body}`;
