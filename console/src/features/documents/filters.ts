/** Document filter, in the address: survives a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

export interface Address {
  /** Text to find in the titles of the loaded documents. */
  q?: string;
  edit?: true;
  /** Tab of the inspector. */
  inspect?: string;
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
