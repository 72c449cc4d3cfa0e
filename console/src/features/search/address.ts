/** What is searched for: in the address, so that it can be shared and survives a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

import type { Found } from "./queries";

export const TYPES = ["note", "object"] as const satisfies readonly Found["type"][];
export type Type = (typeof TYPES)[number];

export interface Address {
  q?: string;
  type?: Type;
  /** In the whole company, for who may read it. */
  scope?: "org";
}

export function addressed({ q, type, scope }: Record<string, unknown>): Address {
  return {
    q: typeof q === "string" || typeof q === "number" ? String(q).trim() || undefined : undefined,
    type: TYPES.find((one) => one === type),
    scope: scope === "org" ? "org" : undefined,
  };
}

export function useAddress(): Address {
  return addressed(useSearch({ strict: false }));
}

export function useRefine(): (change: Address) => void {
  const go = useNavigate();
  return (change) => void go({ to: "/search", search: (now: Address) => ({ ...now, ...change }), replace: true });
}

const PLACES: Partial<Record<Found["type"], string>> = { note: "/notes/$id", object: "/files/$id" };

/** Where a thing is shown; what has no screen is not shown among the results either. */
export const placeOf = ({ type }: Pick<Found, "type">): string | undefined => PLACES[type];
