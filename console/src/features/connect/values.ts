/** What the form of a new key holds. */

import type { Reach } from "./scope";

export const EMPTY = { name: "", reach: "all" as Reach, folder: "", starts: false };
export type Values = typeof EMPTY;
