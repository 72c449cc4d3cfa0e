/** Key of the queries for backlinks: any saved text can add or remove one. */

export const REFERENCES = ["references"] as const;
