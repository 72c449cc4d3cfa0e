/** The same numbers as a table: always there for those who hear the page, and shown to whoever asks. */

import { ago, number, t } from "@/i18n";
import { DataTable, type Column } from "@/ui/DataTable";

import type { Usage } from "./queries";
import { stateOf, windowOf } from "./words";

export function UsageTable({ rows }: { rows: readonly Usage[] }) {
  return <DataTable caption={t("usage.table")} columns={columnsFor(rows)} rows={rows} keyOf={(usage) => usage.dimension} />;
}

function columnsFor(rows: readonly Usage[]): Column<Usage>[] {
  const reserved = { title: t("usage.column.reserved"), end: true, cell: (usage: Usage) => number(usage.reserved) };
  return [
    { title: t("usage.column.what"), cell: (usage) => t(`usage.${usage.dimension}`) },
    { title: t("usage.column.used"), end: true, cell: (usage) => number(usage.used) },
    ...(rows.some((usage) => usage.reserved > 0) ? [reserved] : []),
    { title: t("usage.column.limit"), end: true, cell: (usage) => (usage.limit === null ? t("usage.unlimited") : number(usage.limit)) },
    { title: t("usage.column.left"), end: true, cell: (usage) => (usage.remaining === null ? "–" : number(usage.remaining)) },
    { title: t("usage.column.state"), cell: (usage) => t(`usage.state.${stateOf(usage)}`) },
    { title: t("usage.column.window"), cell: windowOf },
    { title: t("usage.column.level"), cell: (usage) => (usage.limit === null ? "–" : t(`usage.level.${usage.level}`)) },
    { title: t("usage.column.resets"), cell: (usage) => (usage.resets_at ? ago(usage.resets_at) : "–") },
  ];
}
