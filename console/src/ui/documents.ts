/** Which files are documents: they have a screen of their own. */

export const MARKDOWN = "text/markdown";

export const isDocument = (contentType: string | null | undefined): boolean => contentType === MARKDOWN;

/** Route of the newest version. */
export const screenOf = (contentType: string | null | undefined) => (isDocument(contentType) ? "/documents/$id" : "/files/$id");
