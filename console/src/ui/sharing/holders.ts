/** Whom a share is for. */

import { t } from "@/i18n";
import type { Names } from "@/ui/names";

import type { Principal } from "./kinds";

interface Me {
  user: { id: string };
  team: { id: string };
}

/** Whether a share is for this person, or for the team they're in now. */
export const isFor =
  ({ user, team }: Me) =>
  ({ principal_type, principal_id }: Principal): boolean =>
    principal_id === (principal_type === "user" ? user.id : team.id);

/** The person's name, or the team's if it's the one they're in now. */
export function holderName({ principal_type, principal_id }: Principal, names: Names, { team }: { team: { id: string; name: string } }): string {
  if (principal_type === "user") return names.of(principal_id);
  return principal_id === team.id ? team.name : t("sharing.another_team");
}
