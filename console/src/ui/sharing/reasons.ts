/** Why someone has access, in words. */

import { dateTime, t } from "@/i18n";

import type { Reason, SharingKind } from "./kinds";

/** `teamOf` returns a team's name. */
export function reasonWords<Level extends string>(reason: Reason<Level>, { words }: SharingKind<Level>, teamOf: (id: string) => string): string {
  const what = t(`sharing.does.${words[reason.capability]}`);
  const why = t(`sharing.why.${reason.rule}`, { what, team: reason.via ? teamOf(reason.via) : "" });
  return reason.expires_at ? t("sharing.why.until", { words: why, when: dateTime(reason.expires_at) }) : why;
}
