/** Runs, steps and triggers in words. */

import { reportedText, t, type Values } from "@/i18n";
import { duration } from "@/ui/quantities";

import type { Definition, FireReason, RunFault, SpecFault } from "./api";

export const titleOf = ({ title, slug }: Pick<Definition, "title" | "slug">): string => title || slug;

export const sourceWords = (source: string): string => (source === "team" ? t("workflows.source.team") : t("workflows.source.plugin", { id: source }));

/** `12 seconds`; empty until it has begun. */
export function tookWords(from: string | null, until: string | null, now = Date.now()): string {
  if (!from) return "";
  const seconds = ((until ? Date.parse(until) : now) - Date.parse(from)) / 1000;
  return seconds < 1 ? t("workflows.took.moment") : duration(seconds);
}

/** A tool's own message is shown as it is. */
export const faultWords = (fault: RunFault | SpecFault): string => reportedText(fault) ?? fault.message;

/** Why a trigger didn't fire; of what the reader can't see, only the kind of reason. */
export function reasonWords(reason: { code: FireReason; message?: string | null; key?: string | null; params?: Values }): string {
  return reportedText(reason) ?? reason.message ?? t(`workflows.reason.${reason.code}`);
}
