/** What the user can do with a note, as far as known in advance; the server decides. */

import type { Session, Whoami } from "@/session";
import { isFor } from "@/ui/sharing/holders";
import { LADDER, type SharePermission } from "@/ui/sharing/kinds";
import type { Rights } from "@/ui/sharing/rights";

import type { Note } from "./text";

type Facts = Pick<Note, "owner" | "team_id" | "visibility" | "shared_with">;
type Caller = Pick<Session, "can"> & { me: Pick<Whoami, "user" | "team" | "scope"> };

export function rightsOn(note: Facts, { me, can }: Caller): Rights {
  const rungs = note.shared_with.filter(isFor(me)).map(({ permission }) => LADDER.indexOf(permission as SharePermission));
  const rung = Math.max(-1, ...rungs);
  const byRole = note.visibility === "team" && note.team_id === me.team.id;
  const holds = (permission: SharePermission): boolean => {
    // Ownership and shares never widen a token's scope.
    if (me.scope && !me.scope.includes(permission)) return false;
    return note.owner === me.user.id || rung >= LADDER.indexOf(permission) || (byRole && can(permission));
  };
  return { write: holds("notes:write"), delete: holds("notes:delete"), manage: holds("notes:manage") };
}
