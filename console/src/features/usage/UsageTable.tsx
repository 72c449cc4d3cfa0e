/** Usage as a table: always there for screen readers, visible on demand. */

import { t } from "@/i18n";
import { DataTable, type Column } from "@/ui/DataTable";
import { amount } from "@/ui/quotaWords";
import { Time } from "@/ui/Time";

import { forecastOf } from "./forecast";
import type { Usage } from "./queries";
import { stateOf, usedOf, windowOf } from "./words";

export function UsageTable({ rows }: { rows: readonly Usage[] }) {
  return <DataTable caption={t("usage.table")} columns={columnsFor(rows)} rows={rows} keyOf={(usage) => usage.dimension} />;
}

function columnsFor(rows: readonly Usage[]): Column<Usage>[] {
  const reserved = { title: t("usage.column.reserved"), end: true, cell: (usage: Usage) => (usage.window ? amount(usage.dimension, usage.reserved) : "–") };
  const forecast = { title: t("usage.column.forecast"), cell: (usage: Usage) => forecastOf(usage)?.words ?? "–" };
  return [
    { title: t("usage.column.what"), cell: (usage) => t(`usage.${usage.dimension}`) },
    { title: t("usage.column.used"), end: true, cell: (usage) => amount(usage.dimension, usedOf(usage)) },
    ...(rows.some((usage) => usage.window && usage.reserved > 0) ? [reserved] : []),
    { title: t("usage.column.limit"), end: true, cell: (usage) => (usage.limit === null ? t("usage.unlimited") : amount(usage.dimension, usage.limit)) },
    { title: t("usage.column.left"), end: true, cell: (usage) => (usage.remaining === null ? "–" : amount(usage.dimension, usage.remaining)) },
    { title: t("usage.column.state"), cell: (usage) => t(`usage.state.${stateOf(usage)}`) },
    { title: t("usage.column.window"), cell: windowOf },
    { title: t("usage.column.level"), cell: (usage) => (usage.limit === null ? "–" : t(`usage.level.${usage.level}`)) },
    { title: t("usage.column.resets"), cell: (usage) => (usage.resets_at ? <Time at={usage.resets_at} /> : "–") },
    ...(rows.some((usage) => forecastOf(usage)) ? [forecast] : []),
  ];
}
