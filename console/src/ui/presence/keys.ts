/** Key of the query that says who else is here. A document is a file, so the two share it. */

export const presenceOf = (kind: "note" | "object" | "conversation" | "run", id: string) => ["presence", kind, id] as const;
