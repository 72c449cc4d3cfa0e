/** What a plugin adds, in words. */

import type { Plugin } from "@/api/extensions";
import { t } from "@/i18n";

/** `1 tool`, `2 routes`, …; only what there is. */
export function additionsOf(plugin: Plugin): string[] {
  const counted = [
    ["tools", plugin.tools],
    ["workflows", plugin.workflows],
    ["routes", plugin.routes],
    ["kinds", plugin.kinds],
    ["stores", plugin.blob_stores],
  ] as const;
  return [
    ...counted.filter(([, rows]) => rows.length > 0).map(([what, rows]) => t(`plugins.adds.${what}`, { count: rows.length })),
    ...(plugin.has_bundle ? [t("plugins.adds.page")] : []),
    ...(plugin.has_onboarding ? [t("plugins.adds.onboarding")] : []),
    ...(plugin.has_landing ? [t("plugins.adds.landing")] : []),
  ];
}
