/** What of a document people change. */

import type { Schemas } from "@/api/client";
import { mannerOf, type Written } from "@/ui/writing/text";

export type Document = Schemas["Document"];
export type DocumentItem = Schemas["DocumentItem"];

/** Every save is a version for people to look through: one for each time somebody stops, not for each time they think. */
const PACE = { pause: 30_000, longest: 300_000 };

export const DOCUMENTS = mannerOf<Written>("document", { title: "", body: "", visibility: "private" }, PACE);

/** Title and body as one text, to be compared. */
export const wholeOf = ({ title, body }: Pick<Document, "title" | "body">): string => `# ${title}\n\n${body}`;
