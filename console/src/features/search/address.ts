/** Search query, in the address: can be shared, and survives a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

import type { Schemas } from "@/api/client";

type Found = Schemas["SearchResult"];

export const TYPES = ["note", "object", "entity", "conversation"] as const satisfies readonly Found["type"][];
export type Type = (typeof TYPES)[number];

export interface Address {
  q?: string;
  type?: Type;
  /** Company-wide, for users with access. */
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

const PLACES: Partial<Record<Found["type"], string>> = { note: "/notes/$id", object: "/files/$id", entity: "/graph/$id", conversation: "/chat/$id" };

/** Route of a result; results without a screen are hidden. */
export const placeOf = ({ type }: Pick<Found, "type">): string | undefined => PLACES[type];
