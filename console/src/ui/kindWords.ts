/** Label of a job type; unknown types show their code. */

import { t } from "@/i18n";

const KINDS = ["ai.agent", "ai.chat", "ai.turn", "beta.judge", "conversation.index", "l10n.draft", "mcp.call", "repo.extract_text", "repo.hash_parts", "workflow.step"] as const;

export function kindWords(kind: string): string {
  const known = KINDS.find((name) => name === kind);
  return known ? t(`jobs.kind.${known}`) : kind;
}
