/** What the user can do with a conversation, as far as known in advance; the server decides. */

import type { Session } from "@/session";
import { isFor } from "@/ui/sharing/holders";

import type { Conversation } from "./api";

export interface ChatRights {
  /** Share and delete. */
  manage: boolean;
  rename: boolean;
  continue: boolean;
}

export function rightsOn({ owner, shared_with: grants }: Pick<Conversation, "owner" | "shared_with">, { me, can }: Pick<Session, "me" | "can">): ChatRights {
  const isOwner = owner === me.user.id;
  const mayWrite = grants.some((grant) => isFor(me)(grant) && grant.permission === "notes:write");
  return { manage: isOwner, rename: isOwner || mayWrite, continue: (isOwner || mayWrite) && can("chat:use") };
}
