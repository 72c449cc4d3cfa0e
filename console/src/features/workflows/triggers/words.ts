/** Triggers in words. */

import { currentLocale, number, t } from "@/i18n";

import type { AiRemaining, Trigger } from "../api";

type Match = Pick<Trigger, "match_prefix" | "match_types">;

/** `Uploads to invoices/ of type application/pdf`. */
export function matchWords({ match_prefix: prefix, match_types: types }: Match): string {
  const list = new Intl.ListFormat(currentLocale(), { type: "disjunction" }).format(types);
  if (prefix && types.length > 0) return t("workflows.match.both", { prefix, types: list });
  if (prefix) return t("workflows.match.prefix", { prefix });
  return types.length > 0 ? t("workflows.match.types", { types: list }) : t("workflows.match.all");
}

/** What the team can still spend; null if nothing limits it. */
export function budgetWords({ requests, tokens }: AiRemaining): string {
  if (requests === null && tokens === null) return t("workflows.budget.unlimited");
  const parts = [
    requests !== null && t("workflows.budget.requests", { count: requests }),
    tokens !== null && t("workflows.budget.tokens", { count: tokens, shown: number(tokens) }),
  ].filter((part) => part !== false);
  return new Intl.ListFormat(currentLocale(), { type: "conjunction" }).format(parts);
}

export const isSpent = ({ requests, tokens }: AiRemaining): boolean => requests === 0 || tokens === 0;
