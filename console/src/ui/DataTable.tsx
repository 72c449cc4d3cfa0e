/** Data table: caption, headers, and a row header in the first column. On narrow screens each row becomes a card. */

import { IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { useEffect, useRef, type ReactNode } from "react";

import { t } from "@/i18n";

import styles from "./DataTable.module.css";

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** Right-aligned, for numbers. */
  end?: boolean;
  /** Sort state of the column; the header is a button if `onSort` is set (see sorting.ts). */
  sorted?: "ascending" | "descending" | "none";
  onSort?: () => void;
}

interface Props<Row> {
  /** Caption for screen readers; the page title shows it already. */
  caption: string;
  /** The first column is the row header. */
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** A checkbox before the row header. */
  choice?: (row: Row) => ReactNode;
  /** Row actions. */
  actions?: (row: Row) => ReactNode;
  /** The row of a choice that is taken. */
  isChosen?: (row: Row) => boolean;
}

/** Explicit roles: as cards the table isn't laid out as a table, and some browsers then drop its semantics. */
const CELL = { role: "cell" };

export function DataTable<Row>({ caption, columns, rows, keyOf, choice, actions, isChosen }: Props<Row>) {
  const table = useArrowKeys();
  return (
    <div className={styles.room}>
      <table ref={table} className={styles.table} role="table">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr role="row">
            {choice && (
              <th role="columnheader" scope="col">
                <span className="sr-only">{t("ui.select")}</span>
              </th>
            )}
            {columns.map((column) => (
              <th key={column.title} role="columnheader" scope="col" data-end={column.end || undefined} aria-sort={column.sorted}>
                {column.onSort ? <SortButton column={column} /> : column.title}
              </th>
            ))}
            {actions && (
              <th role="columnheader" scope="col">
                <span className="sr-only">{t("ui.actions")}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row" data-chosen={isChosen?.(row) || undefined} data-choice={choice && true}>
              {choice && (
                <td {...CELL} className={styles.choice}>
                  {choice(row)}
                </td>
              )}
              {columns.map((column, place) => cellOf(column, row, place === 0))}
              {actions && (
                <td {...CELL} className={styles.actions}>
                  {actions(row)}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SortButton<Row>({ column }: { column: Column<Row> }) {
  const Arrow = column.sorted === "ascending" ? IconChevronUp : IconChevronDown;
  return (
    <>
      <button type="button" className={styles.sort} data-sorted={column.sorted !== "none" || undefined} onClick={column.onSort}>
        {column.title}
        <Arrow aria-hidden size={13} />
      </button>
      <span className={styles.unsortable}>{column.title}</span>
    </>
  );
}

function cellOf<Row>(column: Column<Row>, row: Row, names: boolean): ReactNode {
  if (names) {
    return (
      <th key={column.title} role="rowheader" scope="row">
        {column.cell(row)}
      </th>
    );
  }
  return (
    <td key={column.title} {...CELL} data-title={column.title} data-end={column.end || undefined}>
      <div>{column.cell(row)}</div>
    </td>
  );
}

/** Arrow keys move between the action buttons of adjacent rows. */
function useArrowKeys() {
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => {
    const element = table.current;
    const hear = (event: KeyboardEvent): void => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const pressed = event.target;
      if (!step || !(pressed instanceof HTMLElement) || pressed.matches("input, textarea, select, [aria-expanded=true]")) return;
      const rows = Array.from(element?.tBodies[0]?.rows ?? []);
      const row = pressed.closest("tr");
      const neighbour = row ? rows[rows.indexOf(row) + step] : undefined;
      const target = neighbour?.querySelector<HTMLElement>("a, button");
      if (!target) return;
      event.preventDefault();
      target.focus();
    };
    element?.addEventListener("keydown", hear);
    return () => element?.removeEventListener("keydown", hear);
  }, []);
  return table;
}
