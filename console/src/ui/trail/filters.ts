/** The filters of a trail live in the address, so that what was found can be sent to somebody. */

import { useNavigate, useSearch } from "@tanstack/react-router";

import type { TrailQuery } from "./source";

/** As they stand in the address: days, where the server wants moments. */
export interface Filters {
  actor?: string;
  action?: string;
  target?: string;
  since?: string;
  until?: string;
}

const NAMES = ["actor", "action", "target", "since", "until"] as const;

export function useFilters(): [Filters, (change: Filters) => void] {
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const go = useNavigate();
  const filters: Filters = {};
  for (const name of NAMES) {
    const value = search[name];
    if (typeof value === "string" || typeof value === "number") filters[name] = String(value);
  }
  const change = (wish: Filters): void => {
    const next = { ...search, ...wish };
    const kept = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined && value !== ""));
    void go({ to: ".", search: kept as never, replace: true });
  };
  return [filters, change];
}

export const NONE: Filters = { actor: undefined, action: undefined, target: undefined, since: undefined, until: undefined };

export function countOf(filters: Filters): number {
  return NAMES.filter((name) => filters[name]).length;
}

export function queryOf(filters: Filters): TrailQuery {
  return {
    actor: filters.actor,
    action: filters.action,
    target: filters.target,
    since: startOf(filters.since, 0),
    // The day that was named belongs; the first moment that does not is the next day's.
    until: startOf(filters.until, 1),
  };
}

/** The first moment of a day where the reader is, or of one some days later. */
function startOf(day: string | undefined, later: number): string | undefined {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? "");
  if (!parts) return undefined;
  return new Date(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]) + later).toISOString();
}
