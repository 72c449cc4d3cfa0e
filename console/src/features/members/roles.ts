/** Roles the user can assign: never more than they hold. The server checks, too. */

import type { Session } from "@/session";

import type { Member, Role } from "./queries";

/** In the order they are offered; `worker` belongs to executors. */
export const ROLES = ["member", "viewer", "admin", "owner", "guest", "reviewer", "translator"] as const satisfies readonly Role[];
export type Given = (typeof ROLES)[number];

/** Roles that most teams use. */
export function isCommon(role: string): boolean {
  return ["member", "viewer", "admin"].includes(role);
}

export function givable(session: Session): Given[] {
  const asOwner = session.me.role === "owner" || session.operator;
  return ROLES.filter((role) => {
    if (role === "owner") return asOwner;
    if (role === "reviewer") return session.can("localization:review");
    if (role === "translator") return session.can("localization:translate");
    return true;
  });
}

/** Owners can only be changed by owners and operators. */
export function reachable(session: Session, member: Member): boolean {
  return session.can("members:manage") && (member.role !== "owner" || session.me.role === "owner" || session.operator);
}
