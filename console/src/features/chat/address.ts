/** What of a chat is in the address: can be shared, and survives a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

export interface Address {
  /** Text to find in titles and excerpts of the list. */
  q?: string;
  /** The turn that the shown branch goes through. */
  at?: string;
  /** An entity to ask about: attached to the prompt, then dropped. */
  about?: string;
}

/** Allowed search params; others are dropped. */
export function addressed({ q, at, about }: Record<string, unknown>): Address {
  const text = (value: unknown): string | undefined =>
    typeof value === "string" || typeof value === "number" ? String(value) || undefined : undefined;
  return { q: text(q), at: text(at), about: text(about) };
}

export function useAddress(): Address {
  return addressed(useSearch({ strict: false }));
}

/** Changes the address without leaving the page. */
export function useRefine(): (change: Address) => void {
  const go = useNavigate();
  return (change) => void go({ to: ".", search: (now: Address) => ({ ...now, ...change }), replace: true, resetScroll: false });
}
