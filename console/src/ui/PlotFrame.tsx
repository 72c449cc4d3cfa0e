/** A drawing with a scale and a time axis, in the figure that every chart has. */

import { useId, type ReactNode } from "react";

import { number } from "@/i18n";

import styles from "./PlotFrame.module.css";
import { HEIGHT, WIDTH } from "./plot";
import { PlotFigure } from "./PlotFigure";
import type { PlotRow } from "./PlotTable";

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
    <PlotFigure title={title} heading={<span id={heading}>{title}</span>} labelledBy={heading} figure={figure} rows={rows}>
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
    </PlotFigure>
  );
}
