/** Which roles one can give: nobody hands out more than they hold. The server decides all the same. */

import type { Session } from "@/app/session";

import type { Member, Role } from "./queries";

/** Those of people, from the widest; `worker` belongs to executors. */
export const ROLES = ["owner", "admin", "member", "viewer", "guest", "reviewer", "translator"] as const satisfies readonly Role[];
export type Given = (typeof ROLES)[number];

export function givable(session: Session): Given[] {
  const asOwner = session.me.role === "owner" || session.operator;
  return ROLES.filter((role) => {
    if (role === "owner") return asOwner;
    if (role === "reviewer") return session.can("localization:review");
    if (role === "translator") return session.can("localization:translate");
    return true;
  });
}

/** An owner is for owners and operators alone. */
export function reachable(session: Session, member: Member): boolean {
  return session.can("members:manage") && (member.role !== "owner" || session.me.role === "owner" || session.operator);
}
