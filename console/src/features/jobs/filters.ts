/** Which jobs the list shows: in the address, so that a filtered list can be shared and survives a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

import type { State } from "./queries";

export const STATES = ["queued", "running", "succeeded", "failed", "cancelled"] as const satisfies readonly State[];

export interface Filters {
  state?: State;
  kind?: string;
}

/** What an address may say: anything else in it is nobody's business. */
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
