/** Who can change company roles: don't offer what the server would refuse. */

import type { Session } from "@/session";

import type { Colleague, OrgRole } from "./queries";

/** Highest first; null is no role. */
export const ORG_ROLES: readonly (OrgRole | null)[] = ["org_owner", "org_admin", "org_reader", null];

/** Only an owner or an operator can add or change an owner. */
export function namesOwners(session: Session): boolean {
  return session.operator || session.me.org_role === "org_owner";
}

export function givable(session: Session): readonly (OrgRole | null)[] {
  return ORG_ROLES.filter((role) => role !== "org_owner" || namesOwners(session));
}

/** Never your own role, an owner's only as an owner, and never the last owner's. */
export function reachable(session: Session, person: Colleague, owners: number): boolean {
  if (!session.can("org:manage") || person.user_id === session.me.user.id) return false;
  if (person.org_role !== "org_owner") return true;
  return namesOwners(session) && owners > 1;
}
