/** Which notes a list shows: in the address, so that a filtered list can be shared and survives a reload. */

import { useNavigate, useSearch } from "@tanstack/react-router";

import { useSession } from "@/app/session";
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
  /** Letters that a title, a beginning or a tag must hold; looked for in what is loaded. */
  q?: string;
  edit?: true;
}

/** What an address may say: anything else in it is nobody's business. */
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

/** Changes what is shown, staying where one is. */
export function useRefine(): (change: Address) => void {
  const go = useNavigate();
  return (change) => void go({ to: ".", search: (now: Address) => ({ ...now, ...change }), replace: true });
}

export function useFilters(): Filters {
  const { show = "all", visibility, tag } = useAddress();
  return { show, visibility, tag };
}

/** The whole company is for whoever the server lets read it: for notes, an operator's rank alone is not enough. */
export function useShown(): readonly Shown[] {
  const { me } = useSession();
  return me.permissions.includes("org:read") ? SHOWN : SHOWN.filter((show) => show !== "company");
}
