/** What the handles of a table offer. */

import { t } from "@/i18n";

import type { Item } from "./menu";
import { addColumn, addRow, align, deleteColumn, deleteRow, moveColumn, moveRow, type Alignment, type Change, type Table } from "./table";

interface Spot {
  row: number;
  column: number;
}

/** Changes the table, and puts the focus on a cell. */
export type Act = (change: (text: string, table: Table) => Change[], spot: Spot) => void;

const ALIGNMENTS = ["left", "center", "right"] as const satisfies readonly Alignment[];

/** Row −1 is the header, which stays where it is. */
export function rowItems(table: Table, { row, column }: Spot, act: Act): Item[][] {
  const last = table.rows.length - 1;
  const isHead = row < 0;
  return [
    [
      ...(isHead ? [] : [{ label: t("markdown.table.row.above"), run: () => act((text, now) => addRow(text, now, row), { row, column }) }]),
      { label: t("markdown.table.row.below"), run: () => act((text, now) => addRow(text, now, row + 1), { row: row + 1, column }) },
    ],
    isHead ? [] : [
      { label: t("markdown.table.row.up"), disabled: row === 0, run: () => act((text, now) => moveRow(text, now, row, -1), { row: row - 1, column }) },
      { label: t("markdown.table.row.down"), disabled: row === last, run: () => act((text, now) => moveRow(text, now, row, 1), { row: row + 1, column }) },
      { label: t("markdown.table.row.delete"), run: () => act((_, now) => deleteRow(now, row), { row: Math.min(row, last - 1), column }) },
    ],
  ];
}

export function columnItems(table: Table, { row, column }: Spot, act: Act): Item[][] {
  const last = table.header.cells.length - 1;
  return [
    [
      { label: t("markdown.table.column.before"), run: () => act((text, now) => addColumn(text, now, column), { row, column }) },
      { label: t("markdown.table.column.after"), run: () => act((text, now) => addColumn(text, now, column + 1), { row, column: column + 1 }) },
      { label: t("markdown.table.column.left"), disabled: column === 0, run: () => act((text, now) => moveColumn(text, now, column, -1), { row, column: column - 1 }) },
      { label: t("markdown.table.column.right"), disabled: column === last, run: () => act((text, now) => moveColumn(text, now, column, 1), { row, column: column + 1 }) },
      { label: t("markdown.table.column.delete"), disabled: last === 0, run: () => act((text, now) => deleteColumn(text, now, column), { row, column: Math.max(0, column - 1) }) },
    ],
    ALIGNMENTS.map((alignment) => ({
      label: t(`markdown.table.align.${alignment}`),
      disabled: table.alignments[column] === alignment,
      run: () => act((text, now) => align(text, now, column, alignment), { row, column }),
    })),
  ];
}

export const tableItems = (remove: () => void): Item[] => [{ label: t("markdown.table.delete"), run: remove }];
