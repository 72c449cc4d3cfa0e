/** Who may change whose role in the company: what the server would refuse is not offered. */

import type { Session } from "@/app/session";

import type { Colleague, OrgRole } from "./queries";

/** From the most to the least; null is no role in the company. */
export const ORG_ROLES: readonly (OrgRole | null)[] = ["org_owner", "org_admin", "org_reader", null];

/** Only an owner names or changes an owner; an operator of the instance stands above both. */
export function namesOwners(session: Session): boolean {
  return session.operator || session.me.org_role === "org_owner";
}

export function givable(session: Session): readonly (OrgRole | null)[] {
  return ORG_ROLES.filter((role) => role !== "org_owner" || namesOwners(session));
}

/** Never one's own, an owner's only by an owner, and the last owner stays. */
export function reachable(session: Session, person: Colleague, owners: number): boolean {
  if (!session.can("org:manage") || person.user_id === session.me.user.id) return false;
  if (person.org_role !== "org_owner") return true;
  return namesOwners(session) && owners > 1;
}
