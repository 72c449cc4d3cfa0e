/** What a failed check says: a text of the catalog, or the server's if this catalog has none. */

import { reportedText, type Values } from "@/i18n";

import type { FailedCheck } from "./queries";

export function checkText({ check, params, message }: FailedCheck): string {
  return reportedText({ key: `translation.check_${check}`, params: params as Values | undefined }) ?? message;
}
