/** Keys of the queries for files, and which of them a changed file or run makes stale. */

import { freshness } from "@/navigation/freshness";
import { PROCESSING } from "@/ui/processing/keys";
import { sharingOf } from "@/ui/sharing/keys";

export const FILES = ["files"] as const;
export const LISTS = [...FILES, "list"] as const;
export const FOLDERS = [...FILES, "folders"] as const;
export const one = (id: string) => [...FILES, "one", id] as const;

// The bytes of a version, whose keys begin with the file's, never change.
export const fileFreshness = [
  freshness("object", (id) => [
    { queryKey: LISTS },
    { queryKey: FOLDERS },
    { queryKey: one(id), exact: true },
    { queryKey: PROCESSING },
    { queryKey: ["versions", id] },
    { queryKey: sharingOf(id) },
  ]),
  freshness("run", () => [{ queryKey: PROCESSING }]),
] as const;
