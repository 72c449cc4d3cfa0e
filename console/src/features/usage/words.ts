/** A row of usage in words. */

import { ago, number, t } from "@/i18n";

import type { Usage } from "./queries";

export type State = "fine" | "close" | "spent" | "unlimited";

const CLOSE = 0.8;

/** The part of the limit that is gone, reserved work included: between 0 and 1. */
export function share(usage: Usage): number {
  if (usage.limit === null) return 0;
  if (usage.limit === 0) return 1;
  return Math.min(1, (usage.used + usage.reserved) / usage.limit);
}

export function stateOf(usage: Usage): State {
  if (usage.limit === null) return "unlimited";
  const gone = share(usage);
  return gone >= 1 ? "spent" : gone >= CLOSE ? "close" : "fine";
}

export function windowOf(usage: Usage): string {
  return usage.window ? t(`usage.window.${usage.window}`) : t("usage.window.none");
}

/** Empty for what is counted at every moment, and so has nothing to begin anew. */
export function resetOf(usage: Usage): string {
  if (!usage.window) return "";
  return usage.resets_at ? t("usage.resets", { when: ago(usage.resets_at) }) : t("usage.resets.never");
}

export function amountOf(usage: Usage): string {
  if (usage.limit === 0) return t("usage.nothing");
  const used = number(usage.used);
  const limit = usage.limit === null ? null : number(usage.limit);
  if (!usage.window) return limit === null ? t("usage.now.unlimited", { used }) : t("usage.now", { used, limit });
  return limit === null ? t("usage.used", { used }) : t("usage.of", { used, limit });
}

/** What happens now that nothing is left. */
export function spentWords(usage: Usage): string {
  if (usage.limit === 0) return t("usage.spent.nothing");
  if (!usage.window) return t("usage.spent.now");
  return usage.resets_at ? t("usage.spent.words") : t("usage.spent.never");
}
