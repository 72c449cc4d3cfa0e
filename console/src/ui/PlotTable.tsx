/** The data of a chart as a table. */

import { t } from "@/i18n";

import styles from "./PlotTable.module.css";

export interface PlotRow {
  /** Time, or label of the time span. */
  name: string;
  value: string;
}

export function PlotTable({ title, rows }: { title: string; rows: readonly PlotRow[] }) {
  return (
    // Scrollable by keyboard, too.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles.table} role="region" aria-label={title} tabIndex={0}>
      <table>
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr>
            <th scope="col">{t("metrics.plot.time")}</th>
            <th scope="col">{title}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            // The label isn't unique: an hour occurs twice when the clocks go back.
            <tr key={place}>
              <th scope="row">{row.name}</th>
              <td>{row.value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
