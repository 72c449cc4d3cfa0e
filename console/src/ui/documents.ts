/** Which files are documents: they have a screen of their own. */

const MARKDOWN = "text/markdown";

export const isDocument = (contentType: string | null | undefined): boolean => contentType === MARKDOWN;

export const screenOf = (contentType: string | null | undefined) => (isDocument(contentType) ? "/documents/$id" : "/files/$id");

/** Longer ones would make an address that nobody can send. */
const LONGEST_QUOTE = 300;

/** A link for those who don't know whether it is a document: the screen of files passes documents on to theirs. */
export const placeOfObject = (id: string, { version, quote }: { version?: number | null; quote?: string } = {}) => ({
  to: "/files/$id" as const,
  params: { id },
  search: { as: "document", version: version ?? undefined, quote: quote?.trim().slice(0, LONGEST_QUOTE) || undefined },
});
