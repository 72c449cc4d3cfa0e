/** Switches between reading and editing, each with its address; a new text gets its own once it's saved. */

import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

import { NEWEST } from "@/ui/versions/address";

import type { Written } from "./text";
import type { Writing } from "./writing";

interface Search {
  edit?: true;
}

/** Only the newest version is edited. `list` is the list's address; an item's is below it. The callback switches to editing, or with `false` to reading. */
export function useTurning<Text extends Written>(writing: Writing<Text>, keptId: string | undefined, list: string): (toEdit: boolean) => Promise<void> {
  const go = useNavigate();
  const staysInEdit = useRef(true);
  const { id: now } = writing.snapshot;
  useEffect(() => {
    if (now === null || now === keptId) return;
    const search = (at: Search): Search => ({ ...at, ...NEWEST, edit: staysInEdit.current || undefined });
    void go({ to: `${list}/$id`, params: { id: now }, search, replace: true });
  }, [go, keptId, now, list]);

  return async (toEdit) => {
    staysInEdit.current = toEdit;
    const saving = toEdit ? undefined : writing.flush();
    if (now === null) await saving;
    const { id } = writing.snapshot;
    const search = (at: Search): Search => ({ ...at, ...NEWEST, edit: (id !== null && toEdit) || undefined });
    await (id === null ? go({ to: list, search }) : go({ to: `${list}/$id`, params: { id }, search, replace: true }));
  };
}
