/** Inputs that were typed but not run, kept in this browser. */

import { useCallback, useMemo, useState } from "react";

import { useSession } from "@/session";
import { storedDrafts } from "@/ui/writing/drafts";

import { isFields } from "../spec/shapes";
import type { Typed } from "./fields";

export function parseTyped(value: unknown): Typed | null {
  if (!isFields(value) || !isFields(value.typed)) return null;
  const entries = Object.entries(value.typed).filter((entry): entry is [string, string | boolean] => ["string", "boolean"].includes(typeof entry[1]));
  return Object.fromEntries(entries);
}

/** What was typed for a workflow, or to run it again; `first` if there is nothing. */
export function useTyped(slug: string, first: Typed, again = ""): { typed: Typed; type: (typed: Typed) => void; drop: () => void } {
  const { me } = useSession();
  const key = [me.team.id, slug, again].filter(Boolean).join(":");
  const stored = useMemo(() => storedDrafts("run", me.user.id, localStorage, (value) => (parseTyped(value) ? { typed: parseTyped(value) as Typed } : null)), [me.user.id]);
  const [typed, setTyped] = useState<Typed>(() => ({ ...first, ...stored.find(key)?.typed }));
  const type = useCallback(
    (now: Typed) => {
      setTyped(now);
      stored.keep(key, { typed: now, at: new Date().toISOString() });
    },
    [stored, key],
  );
  const drop = useCallback(() => stored.drop(key), [stored, key]);
  return { typed, type, drop };
}
