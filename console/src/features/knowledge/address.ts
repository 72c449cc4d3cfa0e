/** Filters, the open passage and the view of relations, in the address: can be shared, and survive a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

import { TYPES, type EntityType } from "./types";

export const VIEWS = ["graph", "table"] as const;
export type RelationView = (typeof VIEWS)[number];

export interface Address {
  /** Words in the name. */
  q?: string;
  type?: EntityType;
  /** Id of the mention or relation whose passage is open. */
  passage?: string;
  view?: RelationView;
}

/** Allowed search params; others are dropped. */
export function addressed({ q, type, passage, view }: Record<string, unknown>): Address {
  const text = (value: unknown): string | undefined =>
    typeof value === "string" || typeof value === "number" ? String(value).trim() || undefined : undefined;
  return { q: text(q), type: TYPES.find((one) => one === type), passage: text(passage), view: VIEWS.find((one) => one === view) };
}

export function useAddress(): Address {
  return addressed(useSearch({ strict: false }));
}

/** Changes the address without leaving the page. */
export function useRefine(): (change: Address) => void {
  const go = useNavigate();
  return (change) => void go({ to: ".", search: (now: Address) => ({ ...now, ...change }), replace: true, resetScroll: false });
}

/** The search params of a link to another entity: filters stay, the passage closes. */
export const besides = (now: Address): Address => ({ ...now, passage: undefined });
