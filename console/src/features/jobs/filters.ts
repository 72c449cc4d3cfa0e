/** Job filters, in the address: can be shared, and survive a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

import type { Schemas } from "@/api/client";

type State = Schemas["State"];

export const STATES = ["queued", "running", "succeeded", "failed", "cancelled"] as const satisfies readonly State[];

export interface Filters {
  state?: State;
  kind?: string;
}

/** Allowed search params; others are dropped. */
export function addressed({ state, kind }: Record<string, unknown>): Filters {
  return {
    state: STATES.find((one) => one === state),
    kind: typeof kind === "string" && kind ? kind : undefined,
  };
}

export function useFilters(): Filters {
  return addressed(useSearch({ strict: false }));
}

export function useRefine(): (change: Filters) => void {
  const go = useNavigate();
  return (change) => void go({ to: ".", search: (now: Filters) => ({ ...now, ...change }), replace: true });
}
