/** Document filter, in the address: survives a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

export interface Address {
  /** Text to find in the titles of the loaded documents. */
  q?: string;
  edit?: true;
  /** The panel beside the document. */
  show?: "processing";
}

export function useAddress(): Address {
  const { q, edit, show } = useSearch({ strict: false }) as Record<string, unknown>;
  return {
    q: typeof q === "string" || typeof q === "number" ? String(q) || undefined : undefined,
    edit: edit === true ? true : undefined,
    show: show === "processing" ? show : undefined,
  };
}

export function useRefine(): (change: Address) => void {
  const go = useNavigate();
  return (change) => void go({ to: ".", search: (now: Address) => ({ ...now, ...change }), replace: true });
}
