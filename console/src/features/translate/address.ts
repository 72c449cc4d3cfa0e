/** What the screen shows, in the address: can be shared, and survives a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

export const MODES = ["text", "catalog"] as const;
export type Mode = (typeof MODES)[number];

export interface Address {
  mode?: Mode;
  /** The translation of the history that is open. */
  open?: string;
}

export function addressed({ mode, open }: Record<string, unknown>): Address {
  return { mode: MODES.find((one) => one === mode), open: typeof open === "string" && open ? open : undefined };
}

export const useAddress = (): Address => addressed(useSearch({ strict: false }));

/** `replace` leaves no step back. */
export function useGo(): (address: Address, replace?: boolean) => void {
  const go = useNavigate();
  return ({ mode, open }, replace = false) => void go({ to: "/translate", search: { mode: mode === "text" ? undefined : mode, open }, replace });
}
