/** What can be done with entries, for every part of a screen that offers it. */

import { createContext, useContext } from "react";

import type { Entry } from "./browser/entries";

export type Deed = "download" | "rename" | "move" | "copy" | "share" | "delete";

export interface EntryActions {
  /** Starts it, or asks first. */
  ask: (deed: Deed, entries: readonly Entry[]) => void;
  /** Moves entries into a folder without asking. */
  put: (entries: readonly Entry[], folder: string) => void;
  /** By the role in the team, or since the files are one's own; the server has the last word on every file. */
  may: (deed: Deed, entries?: readonly Entry[]) => boolean;
}

export const EntryActionsContext = createContext<EntryActions | null>(null);

export function useEntryActions(): EntryActions {
  const actions = useContext(EntryActionsContext);
  if (!actions) throw new Error("there is no EntryDialogs around this");
  return actions;
}

/** Null outside a screen of files, such as in a dialog. */
export const useMaybeEntryActions = (): EntryActions | null => useContext(EntryActionsContext);
