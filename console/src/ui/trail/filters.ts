/** Audit filters are in the address, so that results can be shared. */

import { useNavigate, useSearch } from "@tanstack/react-router";

import { instantOf } from "@/i18n";

import type { TrailQuery } from "./source";

/** As in the address: days, where the API takes timestamps. */
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
  const change = (changed: Filters): void => {
    const next = { ...search, ...changed };
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
    // The end day is included: the limit is the start of the next day.
    until: startOf(filters.until, 1),
  };
}

/** Start of a day in the person's time zone, optionally some days later. */
function startOf(day: string | undefined, later: number): string | undefined {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? "");
  if (!parts) return undefined;
  const start = new Date(Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]) + later));
  return new Date(instantOf(`${start.toISOString().slice(0, 10)}T00:00`)).toISOString();
}
