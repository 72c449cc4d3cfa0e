/** Usage in words. */

import { ago, dateTime, t } from "@/i18n";
import { amount, isStorage } from "@/ui/quotaWords";

import { forecastOf } from "./forecast";
import type { Usage } from "./queries";

export type State = "fine" | "early" | "close" | "spent" | "unlimited";

const CLOSE = 0.8;

/** Share of the limit used, including reservations: 0 to 1. */
export function share(usage: Usage): number {
  if (usage.limit === null) return 0;
  if (usage.limit === 0) return 1;
  return Math.min(1, (usage.used + usage.reserved) / usage.limit);
}

export function stateOf(usage: Usage): State {
  if (usage.limit === null) return "unlimited";
  const gone = share(usage);
  if (gone >= CLOSE) return gone >= 1 ? "spent" : "close";
  return forecastOf(usage)?.over ? "early" : "fine";
}

export function windowOf(usage: Usage): string {
  return usage.window ? t(`usage.window.${usage.window}`) : t("usage.window.none");
}

/** Empty for dimensions without a window, which never reset. */
export function resetOf(usage: Usage): string {
  if (!usage.window || isStorage(usage.dimension)) return "";
  const at = usage.resets_at;
  return at ? t("usage.resets", { when: ago(at), at: dateTime(at) }) : t("usage.resets.never");
}

/** Concurrent requests are only ever reserved: they have no window. */
export function usedOf({ used, reserved, window }: Usage): number {
  return window ? used : used + reserved;
}

export function amountOf(usage: Usage): string {
  if (usage.limit === 0) return t("usage.nothing");
  const used = amount(usage.dimension, usedOf(usage));
  const limit = usage.limit === null ? null : amount(usage.dimension, usage.limit);
  if (!usage.window) return limit === null ? t("usage.now.unlimited", { used }) : t("usage.now", { used, limit });
  return limit === null ? t("usage.used", { used }) : t("usage.of", { used, limit });
}

/** What happens when the limit is reached. */
export function spentWords(usage: Usage): string {
  if (isStorage(usage.dimension)) return t("usage.spent.storage");
  if (usage.limit === 0) return t("usage.spent.nothing");
  if (!usage.window) return t("usage.spent.now");
  return usage.resets_at ? t("usage.spent.words") : t("usage.spent.never");
}
