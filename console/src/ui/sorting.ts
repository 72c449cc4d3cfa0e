/** Table sorting: one column, ascending or descending, by its header or, on a phone, from a list. */

import { useState } from "react";

import { byName } from "@/i18n";

import type { Column } from "./DataTable";

export interface Sortable<Row> extends Column<Row> {
  name: string;
  by: (row: Row) => number | string;
}

export interface Sorting<Row> {
  rows: Row[];
  columns: Sortable<Row>[];
  by: string;
  descending: boolean;
  /** Sorts by this column, or reverses the order if it's sorted by it already. */
  sort: (name: string) => void;
}

/** Numbers start descending, text ascending. */
export function useSorting<Row>(rows: readonly Row[], columns: Sortable<Row>[], first: string): Sorting<Row> {
  const [{ by, descending }, setOrder] = useState({ by: first, descending: true });
  const sort = (name: string): void => {
    const isText = rows[0] !== undefined && typeof columns.find((each) => each.name === name)?.by(rows[0]) === "string";
    setOrder({ by: name, descending: name === by ? !descending : !isText });
  };
  const column = columns.find((each) => each.name === by);
  const turn = descending ? -1 : 1;
  return {
    rows: column ? [...rows].sort((one, other) => turn * compared(column.by(one), column.by(other))) : [...rows],
    columns: columns.map((each) => ({
      ...each,
      sorted: each.name === by ? (descending ? "descending" : "ascending") : "none",
      onSort: () => sort(each.name),
    })),
    by,
    descending,
    sort,
  };
}

function compared(one: number | string, other: number | string): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return byName(String(one), String(other));
}
