/** What the list of documents shows: in the address, so that it survives a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

export interface Address {
  /** Letters that a title must hold; looked for in what is loaded. */
  q?: string;
  edit?: true;
}

export function useAddress(): Address {
  const { q, edit } = useSearch({ strict: false }) as Record<string, unknown>;
  return {
    q: typeof q === "string" || typeof q === "number" ? String(q) || undefined : undefined,
    edit: edit === true ? true : undefined,
  };
}

export function useRefine(): (change: Address) => void {
  const go = useNavigate();
  return (change) => void go({ to: ".", search: (now: Address) => ({ ...now, ...change }), replace: true });
}
