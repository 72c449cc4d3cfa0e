/** Chart frame: title, key number, the chart, and the same data as an accessible table. */

import { useId, type ReactNode } from "react";

import { number, t } from "@/i18n";

import styles from "./PlotFrame.module.css";
import { HEIGHT, WIDTH } from "./plot";
import { PlotTable, type PlotRow } from "./PlotTable";

interface Props {
  title: string;
  /** Current value, or the total. */
  figure: string;
  /** Text alternative of the chart. */
  summary: string;
  /** Top of the scale. */
  top: string;
  /** Labels at both ends of the time axis. */
  from: string;
  until: string;
  /** Newest first. */
  rows: readonly PlotRow[];
  /** Label at the bottom of the scale; bar charts don't need one. */
  zero?: boolean;
  children: ReactNode;
}

export function PlotFrame({ title, figure, summary, top, from, until, rows, zero = false, children }: Props) {
  const heading = useId();
  return (
    <figure className={styles.plot} aria-labelledby={heading}>
      <figcaption>
        <span id={heading}>{title}</span>
        <b>{figure}</b>
      </figcaption>
      <div className={styles.field}>
        <span className={styles.top}>{top}</span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summary}>
          <path className={styles.grid} d={`M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT}H${WIDTH}`} />
          {children}
        </svg>
        {zero && <span className={styles.bottom}>{number(0)}</span>}
      </div>
      <p className={styles.axis}>
        <span>{from}</span>
        <span>{until}</span>
      </p>
      <details>
        <summary>{t("metrics.plot.table")}</summary>
        <PlotTable title={title} rows={rows} />
      </details>
    </figure>
  );
}
