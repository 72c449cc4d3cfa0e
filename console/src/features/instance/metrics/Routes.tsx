/** Requests by route since start, sortable. */

import { Button } from "@mantine/core";
import { useState } from "react";

import { number, t } from "@/i18n";
import { Bar } from "@/ui/Bar";
import { DataTable } from "@/ui/DataTable";
import { milliseconds, percent } from "@/ui/quantities";
import { useSorting, type Sortable } from "@/ui/sorting";
import { SortBy } from "@/ui/SortBy";

import type { RouteFigures } from "../queries";
import styles from "./Metrics.module.css";

const FIRST = 12;

export function Routes({ routes }: { routes: readonly RouteFigures[] }) {
  const sorting = useSorting(routes, columnsFor(routes), "count");
  const [all, setAll] = useState(false);
  return (
    <>
      <SortBy sorting={sorting} />
      <DataTable
        caption={t("metrics.routes")}
        rows={all ? sorting.rows : sorting.rows.slice(0, FIRST)}
        columns={sorting.columns}
        keyOf={(route) => `${route.method} ${route.route}`}
      />
      {routes.length > FIRST && (
        <Button className={styles.more} variant="subtle" onClick={() => setAll(!all)}>
          {all ? t("metrics.routes.first", { count: FIRST }) : t("metrics.routes.all", { count: routes.length })}
        </Button>
      )}
    </>
  );
}

/** 4xx are client errors, 5xx server errors. */
function answered(route: RouteFigures, hundred: 4 | 5): number {
  return Object.entries(route.by_status).reduce((sum, [status, count]) => (status.startsWith(String(hundred)) ? sum + count : sum), 0);
}

function columnsFor(routes: readonly RouteFigures[]): Sortable<RouteFigures>[] {
  const most = (of: (route: RouteFigures) => number): number => Math.max(...routes.map(of), 0);
  const counts = most((route) => route.count);
  const slowest = most((route) => route.p99_ms);
  const time = (name: "mean" | "p95" | "p99", of: (route: RouteFigures) => number): Sortable<RouteFigures> => ({
    name,
    title: t(`metrics.column.${name}`),
    by: of,
    end: true,
    cell: (route) => <Bar share={of(route) / slowest}>{milliseconds(of(route))}</Bar>,
  });
  return [
    {
      name: "route",
      title: t("metrics.column.route"),
      by: (route) => `${route.route} ${route.method}`,
      cell: (route) => (
        <span className={styles.route}>
          <span className={styles.method}>{route.method}</span>
          {route.route}
        </span>
      ),
    },
    {
      name: "count",
      title: t("metrics.column.count"),
      by: (route) => route.count,
      end: true,
      cell: (route) => <Bar share={route.count / counts}>{number(route.count)}</Bar>,
    },
    { name: "refused", title: t("metrics.column.refused"), by: (route) => answered(route, 4), end: true, cell: (route) => <Faults count={answered(route, 4)} of={route.count} /> },
    { name: "failed", title: t("metrics.column.failed"), by: (route) => answered(route, 5), end: true, cell: (route) => <Faults count={answered(route, 5)} of={route.count} /> },
    time("mean", (route) => route.mean_ms),
    time("p95", (route) => route.p95_ms),
    time("p99", (route) => route.p99_ms),
  ];
}

function Faults({ count, of }: { count: number; of: number }) {
  if (count === 0) return <span className="muted">{number(0)}</span>;
  return t("metrics.faults", { count, share: percent(count / of) });
}
