/** What a translation is now: what was proposed, or else what is live. */

import type { Message } from "../api";

export const currentText = ({ proposal, text }: Message): string => proposal?.text ?? text ?? "";

/** Whether a reviewer can approve what is there: never one's own words. */
export function isApprovable({ review, proposal, status }: Message): boolean {
  if (proposal) return review === "submitted" && !proposal.own;
  return status === "machine" || status === "stale";
}
