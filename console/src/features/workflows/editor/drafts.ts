/** Specs that aren't published yet, kept in this browser. */

import { useCallback, useMemo, useState } from "react";

import { useSession } from "@/session";
import { storedDrafts } from "@/ui/writing/drafts";

export interface SpecDraft {
  text: string;
  /** The version that the draft began with; 0 for a new workflow. */
  version: number;
}

export function parseDraft(value: unknown): SpecDraft | null {
  const { text, version } = (value ?? {}) as Partial<SpecDraft>;
  return typeof text === "string" && typeof version === "number" ? { text, version } : null;
}

interface Drafting {
  draft: SpecDraft | null;
  /** False once it couldn't be kept: then leaving would lose it. */
  isKept: boolean;
  keep: (draft: SpecDraft) => void;
  drop: () => void;
}

/** `place` is the workflow's slug, or empty for a new one. */
export function useDraft(place: string): Drafting {
  const { me } = useSession();
  // Slugs are only unique within a team. A dot would end the key.
  const key = `${me.team.id}:${place}`;
  const stored = useMemo(() => storedDrafts("workflow", me.user.id, localStorage, parseDraft), [me.user.id]);
  const [draft, setDraft] = useState(() => stored.find(key));
  const [isKept, setKept] = useState(true);
  const keep = useCallback(
    (now: SpecDraft) => {
      setDraft(now);
      setKept(stored.keep(key, { ...now, at: new Date().toISOString() }));
    },
    [stored, key],
  );
  const drop = useCallback(() => {
    setDraft(null);
    stored.drop(key);
  }, [stored, key]);
  return { draft, isKept, keep, drop };
}
