/** Note filters, in the address: can be shared, and survive a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

import { useSession } from "@/session";
import { VISIBILITIES } from "@/ui/visibility/VisibilityWord";
import type { Visibility } from "@/ui/writing/text";

export const SHOWN = ["all", "mine", "shared", "company"] as const;
export type Shown = (typeof SHOWN)[number];

export interface Filters {
  show: Shown;
  visibility?: Visibility;
  tag?: string;
}

export interface Address extends Partial<Filters> {
  /** Text to find in titles, excerpts and tags of the loaded notes. */
  q?: string;
  edit?: true;
}

/** Allowed search params; others are dropped. */
export function addressed(search: Record<string, unknown>): Address {
  const pick = <Value extends string>(values: readonly Value[], value: unknown): Value | undefined =>
    values.find((one) => one === value);
  const text = (value: unknown): string | undefined =>
    typeof value === "string" || typeof value === "number" ? String(value) || undefined : undefined;
  const show = pick(SHOWN, search.show);
  return {
    show: show === "all" ? undefined : show,
    visibility: pick(VISIBILITIES, search.visibility),
    tag: text(search.tag),
    q: text(search.q),
    edit: search.edit === true ? true : undefined,
  };
}

export function useAddress(): Address {
  return addressed(useSearch({ strict: false }));
}

/** Changes the filters without leaving the page. */
export function useRefine(): (change: Address) => void {
  const go = useNavigate();
  return (change) => void go({ to: ".", search: (now: Address) => ({ ...now, ...change }), replace: true });
}

export function useFilters(): Filters {
  const { show = "all", visibility, tag } = useAddress();
  return { show, visibility, tag };
}

/** Company-wide notes are for users the server lets read them: being an operator isn't enough. */
export function useShown(): readonly Shown[] {
  const { me } = useSession();
  return me.permissions.includes("org:read") ? SHOWN : SHOWN.filter((show) => show !== "company");
}
