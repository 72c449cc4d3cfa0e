/** Who can give a file another name or folder. */

import type { Session } from "@/session";
import { rightsOn } from "@/ui/sharing/rights";

import type { FileObject } from "./queries";

/** Somebody who may write a shared file changes what is in it; its name belongs to the team. */
export function mayPlace(file: Pick<FileObject, "permissions" | "team_id">, { me, can }: Pick<Session, "me" | "can">): boolean {
  return rightsOn(file).write && can("files:write") && file.team_id === me.team.id;
}
