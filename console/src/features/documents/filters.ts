/** Document filter, in the address: survives a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

export interface Address {
  /** Text to find in the titles of the loaded documents. */
  q?: string;
  tag?: string;
  edit?: true;
  /** Tab of the inspector. */
  inspect?: string;
  /** A passage to show. */
  quote?: string;
  version?: number;
}

export function useAddress(): Address {
  const { q, tag, edit, quote } = useSearch({ strict: false }) as Record<string, unknown>;
  const text = (value: unknown): string | undefined =>
    typeof value === "string" || typeof value === "number" ? String(value) || undefined : undefined;
  return {
    q: text(q),
    tag: text(tag),
    edit: edit === true ? true : undefined,
    quote: text(quote),
  };
}

export function useRefine(): (change: Address) => void {
  const go = useNavigate();
  return (change) => void go({ to: ".", search: (now: Address) => ({ ...now, ...change }), replace: true });
}
