/** Which prospects are shown, and which is open, is in the address, so that it can be shared and survives a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

import { LEVELS, STATES, VERDICTS, type ProspectQuery, type State } from "../api";

/** Those who wait for a decision come first. */
export const WAITING = "captured";

export interface Place extends Omit<ProspectQuery, "state"> {
  /** Without one, those who wait. */
  state?: Exclude<State, typeof WAITING> | "all";
  /** The open prospect. */
  id?: string;
}

export const NO_FILTERS: Place = { state: undefined, level: undefined, verdict: undefined, q: undefined };

/** The router reads numbers in an address as such. */
const words = (value: unknown): string | undefined => (typeof value === "string" || typeof value === "number" ? String(value) || undefined : undefined);

/** What in an address isn't known is left out. */
export function placeIn(search: Record<string, unknown>): Place {
  const state = [...STATES, "all" as const].find((one) => one === search.state);
  return {
    state: state === WAITING ? undefined : state,
    level: LEVELS.find((one) => one === search.level),
    verdict: VERDICTS.find((one) => one === search.verdict),
    q: words(search.q),
    id: words(search.id),
  };
}

export function queryOf({ state, level, verdict, q }: Place): ProspectQuery {
  return { state: state === "all" ? undefined : (state ?? WAITING), level, verdict, q };
}

/** Whether anything but the state is chosen. */
export const isFiltered = ({ level, verdict, q }: Place): boolean => [level, verdict, q].some((value) => value !== undefined);

export function usePlace(): [Place, (change: Place) => void] {
  const place = placeIn(useSearch({ strict: false }));
  const go = useNavigate();
  return [place, (change) => void go({ to: ".", search: { ...place, ...change } as never, replace: true })];
}
