/** Keys of the queries for the home screen, and what makes them stale. They begin as those of notes and files do. */

import { freshness } from "@/navigation/freshness";

export const NOTES = ["notes", "recent"] as const;
export const MENTIONED = ["mentions"] as const;
export const FILES = ["files", "recent"] as const;
export const SHARED = ["shared"] as const;

export const ACTIVITY = ["activity"] as const;

export const homeFreshness = [
  freshness("note", () => [{ queryKey: NOTES }, { queryKey: MENTIONED }, { queryKey: ACTIVITY }, { queryKey: SHARED }]),
  freshness("object", () => [{ queryKey: FILES }, { queryKey: MENTIONED }, { queryKey: ACTIVITY }, { queryKey: SHARED }]),
  freshness("conversation", () => [{ queryKey: ACTIVITY }, { queryKey: SHARED }]),
  freshness("run", () => [{ queryKey: ACTIVITY }]),
] as const;
