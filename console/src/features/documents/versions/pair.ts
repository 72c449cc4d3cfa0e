/** The two versions to compare: the selected one, and the latest or the previous one. */

export type Against = "newest" | "before";
export const VIEWS = ["changes", "source", "read"] as const;
export type View = (typeof VIEWS)[number];

export interface Address {
  version?: number;
  against?: Against;
  view?: View;
}

/** Parses the address; by default, the version before the latest. */
export function addressed(search: Record<string, unknown>, newest: number): Required<Address> {
  const asked = Number(search.version);
  const version = Number.isInteger(asked) && asked >= 1 && asked <= newest ? asked : Math.max(1, newest - 1);
  return { version, against: search.against === "before" ? "before" : "newest", view: VIEWS.find((view) => view === search.view) ?? "changes" };
}

/** Older first. */
export function pairOf({ version, against }: Pick<Required<Address>, "version" | "against">, newest: number): [older: number, newer: number] {
  return against === "newest" ? [version, newest] : [Math.max(1, version - 1), version];
}
