/** Which texts are shown is in the address, so that it can be shared and survives a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

import { REVIEWS, STATUSES, type MessageQuery, type Review, type Status } from "./api";

export interface Filters {
  status?: Status;
  ns?: string;
  q?: string;
  review?: Review;
  /** Only this text. */
  id?: string;
}

export const NONE: Filters = { status: undefined, ns: undefined, q: undefined, review: undefined, id: undefined };

/** The router reads numbers in an address as such. */
const words = (value: unknown): string | undefined => (typeof value === "string" || typeof value === "number" ? String(value) || undefined : undefined);

/** What in an address isn't a filter is left out. */
export function filtersIn(search: Record<string, unknown>): Filters {
  return {
    status: STATUSES.find((one) => one === search.status),
    ns: words(search.ns),
    q: words(search.q),
    review: REVIEWS.find((one) => one === search.review),
    id: words(search.id),
  };
}

export const isFiltered = (filters: Filters): boolean => Object.values(filters).some((value) => value !== undefined);

/** One text is shown whatever the other filters are. */
export const queryOf = (locale: string, { id, ...filters }: Filters): MessageQuery => (id ? { locale, id } : { locale, ...filters });

export function useFilters(): [Filters, (change: Filters) => void] {
  const filters = filtersIn(useSearch({ strict: false }));
  const go = useNavigate();
  return [filters, (change) => void go({ to: ".", search: { ...filters, ...change } as never, replace: true })];
}

/** What waits for a reviewer: submitted texts, machine drafts, or translations of a source that has changed. */
export const QUEUES = ["submitted", "drafts", "stale"] as const;
export type Queue = (typeof QUEUES)[number];

const QUERIES: Record<Queue, Omit<MessageQuery, "locale">> = {
  submitted: { review: "submitted", reviewable: true },
  drafts: { status: "machine", reviewable: true },
  stale: { status: "stale" },
};

export const queueIn = ({ show }: Record<string, unknown>): Queue => QUEUES.find((one) => one === show) ?? "submitted";

export const queueQuery = (locale: string, queue: Queue): MessageQuery => ({ locale, ...QUERIES[queue] });
