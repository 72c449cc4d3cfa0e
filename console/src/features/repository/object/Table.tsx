/** A CSV file as a table: its first rows, with the head in sight. */

import { useMemo } from "react";

import { t } from "@/i18n";

import { rowsOf } from "./csv";
import styles from "./Object.module.css";

const MOST_ROWS = 1_000;
const MOST_COLUMNS = 200;
/** More of a cell is rarely read, and would be slow to lay out. */
const LONGEST_CELL = 500;

export function Table({ text, whole }: { text: string; whole: boolean }) {
  const rows = useMemo(() => rowsOf(text, MOST_ROWS + 1, whole), [text, whole]);
  const [head = [], ...body] = rows;
  const isCut = !whole || body.length >= MOST_ROWS;
  const cells = (row: readonly string[]): string[] => row.slice(0, MOST_COLUMNS).map((cell) => (cell.length > LONGEST_CELL ? `${cell.slice(0, LONGEST_CELL)}…` : cell));
  return (
    <>
      {isCut && <p className={styles.cut}>{t("files.preview.rows", { count: body.length })}</p>}
      {/* Scrolls by keyboard, too. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={styles.table} role="region" aria-label={t("files.preview.table")} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {cells(head).map((cell, place) => (
                <th key={place} scope="col">
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {body.map((row, place) => (
              <tr key={place}>
                {cells(row).map((cell, column) => (
                  <td key={column} data-number={/^[-+]?[\d.,\s]+%?$/.test(cell) || undefined}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
