/** What every chart stands in: title, key number, and the same data as an accessible table. */

import type { ReactNode } from "react";

import { t } from "@/i18n";

import styles from "./PlotFigure.module.css";
import { PlotTable, type PlotRow } from "./PlotTable";

interface Props {
  /** Of the table, too. */
  title: string;
  /** Shows the title, in an element with the id `labelledBy`. */
  heading: ReactNode;
  labelledBy: string;
  /** Current value, or the total. */
  figure: string;
  /** Newest first. */
  rows: readonly PlotRow[];
  className?: string | undefined;
  children: ReactNode;
}

export function PlotFigure({ title, heading, labelledBy, figure, rows, className = "", children }: Props) {
  return (
    <figure className={`${styles.plot} ${className}`} aria-labelledby={labelledBy}>
      <figcaption>
        {heading}
        <b>{figure}</b>
      </figcaption>
      {children}
      <details>
        <summary>{t("metrics.plot.table")}</summary>
        <PlotTable title={title} rows={rows} />
      </details>
    </figure>
  );
}
