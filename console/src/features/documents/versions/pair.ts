/** Which two versions are compared: the one that was picked, and the newest or the one before it. */

export type Against = "newest" | "before";

export interface Address {
  version?: number;
  against?: Against;
}

/** What an address may say; without a word, the one before the newest. */
export function addressed(search: Record<string, unknown>, newest: number): Required<Address> {
  const asked = Number(search.version);
  const version = Number.isInteger(asked) && asked >= 1 && asked <= newest ? asked : Math.max(1, newest - 1);
  return { version, against: search.against === "before" ? "before" : "newest" };
}

/** The older first. */
export function pairOf({ version, against }: Required<Address>, newest: number): [older: number, newer: number] {
  return against === "newest" ? [version, newest] : [Math.max(1, version - 1), version];
}
