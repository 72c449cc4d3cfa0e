/**
 * What the caller may do with a thing of the repository, as far as can be told before asking. Of what was shared with them they are not
 * told how far it goes: everything is offered, and the server decides, as it does in any case.
 */

import type { Schemas } from "@/api/client";
import type { Session, Whoami } from "@/app/session";


export interface Rights {
  write: boolean;
  delete: boolean;
  manage: boolean;
}

type Facts = Pick<Schemas["ObjectItem"], "owner" | "team_id" | "visibility">;
type Caller = Pick<Session, "can"> & { me: Pick<Whoami, "user" | "team" | "scope"> };

export function rightsOn(thing: Facts, { me, can }: Caller): Rights {
  const own = thing.owner === me.user.id;
  const byRole = thing.visibility === "team" && thing.team_id === me.team.id;
  const byGrant = !own && !byRole;
  const holds = (permission: "files:write" | "files:delete" | "files:manage"): boolean => {
    if (me.scope && !me.scope.some((entry) => entry.split(":").slice(0, 2).join(":") === permission)) return false;
    return own || byGrant || can(permission);
  };
  return { write: holds("files:write"), delete: holds("files:delete"), manage: holds("files:manage") };
}
