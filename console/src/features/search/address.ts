/** Search query, in the address: can be shared, and survives a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

import type { Schemas } from "@/api/client";
import { isDocument } from "@/ui/documents";

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

export type Kind = "note" | "document" | "file" | "entity" | "conversation";
type Typed = Pick<Found, "type" | "content_type">;

const PLACES: Partial<Record<Kind, string>> = {
  note: "/notes/$id", document: "/documents/$id", file: "/files/$id", entity: "/graph/$id", conversation: "/chat/$id",
};

export const kindOf = ({ type, content_type: contentType }: Typed): Kind => (type === "object" ? (isDocument(contentType) ? "document" : "file") : type);

/** Route of a result; results without a screen are hidden. */
export const placeOf = (found: Typed): string | undefined => PLACES[kindOf(found)];
