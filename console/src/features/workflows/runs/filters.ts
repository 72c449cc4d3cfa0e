/** Filters of the runs, in the address: can be shared, and survive a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

import { RUN_STATES, type RunQuery } from "../api";

/** Allowed search params; others are dropped. */
export function addressed({ state, slug, object }: Record<string, unknown>): RunQuery {
  const text = (value: unknown): string | undefined => (typeof value === "string" && value ? value : undefined);
  return { state: RUN_STATES.find((one) => one === state), slug: text(slug), object: text(object) };
}

export function useFilters(): RunQuery {
  return addressed(useSearch({ strict: false }));
}

export function useRefine(): (change: RunQuery) => void {
  const go = useNavigate();
  return (change) => void go({ to: ".", search: ((now: RunQuery) => ({ ...now, ...change })) as never, replace: true });
}
