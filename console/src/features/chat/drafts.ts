/** Prompts that the server doesn't have yet, kept in this browser for each conversation. */

import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import { useSession } from "@/session";
import { REFERENCE_TYPES, type ReferenceType } from "@/ui/turns/shapes";
import { storedDrafts, type Stored } from "@/ui/writing/drafts";

/** What goes with a prompt, by reference. */
export interface Reference {
  type: ReferenceType;
  id: string;
  title: string;
}

export interface Draft {
  text: string;
  references: Reference[];
}

export const EMPTY: Draft = { text: "", references: [] };

const isEmpty = ({ text, references }: Draft): boolean => text === "" && references.length === 0;

/** The first draft, followed by the second. */
export function joined(first: Draft, second: Draft): Draft {
  const ids = new Set(first.references.map(({ id }) => id));
  return {
    text: [first.text, second.text].filter(Boolean).join("\n\n"),
    references: [...first.references, ...second.references.filter(({ id }) => !ids.has(id))],
  };
}

export function parseDraft(value: unknown): Draft | null {
  const { text, references } = (value ?? {}) as Partial<Draft>;
  if (typeof text !== "string") return null;
  return { text, references: Array.isArray(references) ? references.filter(isReference) : [] };
}

function isReference(value: unknown): value is Reference {
  const { type, id, title } = (value ?? {}) as Partial<Reference>;
  return REFERENCE_TYPES.some((one) => one === type) && typeof id === "string" && typeof title === "string";
}

type Change = Draft | ((newest: Draft) => Draft);

/** The draft of a conversation; `place` is its id, or `new`. */
export function useDraft(place: string): [Draft, (change: Change) => void] {
  const { me } = useSession();
  return useStoredDraft(useMemo(() => storedDrafts("chat", me.user.id, localStorage, parseDraft), [me.user.id]), place);
}

/** Prompts that were sent, until the server has them. */
export function useSent(): Sent {
  const { me } = useSession();
  return useMemo(() => sentBy(me.user.id), [me.user.id]);
}

interface Sent extends Stored<Draft> {
  /** Lets other tabs know that this one sends a prompt, until the promise settles. */
  hold: (place: string, sending: Promise<unknown>) => void;
  /** Resolves once no tab sends a prompt. */
  idle: (place: string, signal: AbortSignal) => Promise<void>;
}

// Only secure pages have locks; without them a prompt that another tab still sends is taken for a lost one.
const locks = typeof navigator === "undefined" ? undefined : (navigator.locks as LockManager | undefined);

function sentBy(userId: string): Sent {
  const name = (place: string): string => `teamspace.sent.${userId}.${place}`;
  return {
    ...storedDrafts("sent", userId, localStorage, parseDraft),
    hold: (place, sending) => void locks?.request(name(place), { mode: "shared" }, () => sending),
    idle: async (place, signal) => locks?.request(name(place), { signal }, () => undefined),
  };
}

/** A prompt whose tab was closed before the server had it is a draft again. */
export function useUnsent(place: string, isSending: boolean, change: (change: Change) => void): void {
  const sent = useSent();
  useEffect(() => {
    if (isSending) return;
    const left = new AbortController();
    function recover(): void {
      const unsent = left.signal.aborted ? null : sent.find(place);
      if (!unsent) return;
      sent.drop(place);
      change((newest) => joined(unsent, newest));
    }
    sent.idle(place, left.signal).then(recover, () => undefined);
    return () => left.abort();
  }, [sent, place, isSending, change]);
}

export function useStoredDraft(stored: Stored<Draft>, place: string): [Draft, (change: Change) => void] {
  const [held, setHeld] = useState(() => ({ place, draft: stored.find(place) ?? EMPTY }));
  let { draft } = held;
  if (held.place !== place) {
    draft = stored.find(place) ?? EMPTY;
    setHeld({ place, draft });
  }
  // Several files can finish uploading between two renderings: only a change may write this.
  const newest = useRef(held);
  const change = useCallback(
    (next: Change) => {
      const before = newest.current.place === place ? newest.current.draft : (stored.find(place) ?? EMPTY);
      const now = typeof next === "function" ? next(before) : next;
      newest.current = { place, draft: now };
      setHeld(newest.current);
      if (isEmpty(now)) stored.drop(place);
      else stored.keep(place, { ...now, at: new Date().toISOString() });
    },
    [stored, place],
  );
  return [draft, change];
}
