/** Where a restored item is opened. */

import type { Restored } from "./queries";

const FOLDERS = { note: "/notes", document: "/documents", file: "/files" } as const;

export const placeOf = ({ kind, id }: Pick<Restored, "kind" | "id">): string => `${FOLDERS[kind]}/${id}`;
