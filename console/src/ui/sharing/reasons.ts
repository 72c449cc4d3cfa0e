/** Why someone has access, in words. */

import { dateTime, t } from "@/i18n";

import type { Reason } from "./queries";

/** `teamOf` returns a team's name. */
export function reasonWords(reason: Reason, teamOf: (id: string) => string): string {
  const what = t(`sharing.does.${reason.capability}`);
  const words = t(`sharing.why.${reason.rule}`, { what, team: reason.via ? teamOf(reason.via) : "" });
  return reason.expires_at ? t("sharing.why.until", { words, when: dateTime(reason.expires_at) }) : words;
}
