/** What the server refused, as one line for each thing that is wrong with a text. */

import { Refusal } from "@/api/client";
import { reportedText, t, type Values } from "@/i18n";

import type { Warning } from "./api";

export function faultLines(fault: unknown): string[] {
  if (!(fault instanceof Refusal)) return [t("state.failed.unknown")];
  const named = (fault.problem.errors ?? []).map((error) => reportedText(error) ?? error.message);
  return named.length > 0 ? named : [fault.message];
}

/** Someone else was faster, or the source has changed: a second look is needed. */
export const isConflict = (fault: unknown): boolean => fault instanceof Refusal && (fault.status === 409 || fault.status === 412);

export const warningText = ({ check, params, message }: Warning): string => reportedText({ key: `translation.check_${check}`, params: params as Values | undefined }) ?? message;
