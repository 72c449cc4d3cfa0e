/** A number as it moves over the last minutes: the line, the present value, and the same as a table for who cannot see it. */

import { useId } from "react";

import { currentLocale, number, t } from "@/i18n";

import styles from "./LivePlot.module.css";
import { areaOf, ceilingOf, HEIGHT, lineOf, spanOf, WIDTH, type Point } from "./plot";
import { duration } from "./quantities";

interface Props {
  title: string;
  points: readonly Point[];
  format: (value: number) => string;
  /** The top of the scale is at least this, so that little noise does not look like much. */
  least: number;
}

const clock = (at: number): string => new Intl.DateTimeFormat(currentLocale(), { timeStyle: "medium" }).format(at);

export function LivePlot({ title, points, format, least }: Props) {
  const heading = useId();
  const known = points.filter((point): point is { at: number; value: number } => point.value !== null);
  const now = known.at(-1)?.value;
  const top = ceilingOf(Math.max(least, ...known.map((point) => point.value)));
  return (
    <figure className={styles.plot} aria-labelledby={heading}>
      <figcaption>
        <span id={heading}>{title}</span>
        <b>{now === undefined ? t("metrics.plot.wait") : format(now)}</b>
      </figcaption>
      <div className={styles.field}>
        <span className={styles.top}>{format(top)}</span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summary(title, known, format)}>
          <path className={styles.grid} d={`M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT}H${WIDTH}`} />
          <path className={styles.area} d={areaOf(points, top)} />
          <path className={styles.line} d={lineOf(points, top)} />
        </svg>
        <span className={styles.bottom}>{number(0)}</span>
      </div>
      <p className={styles.axis}>
        <span>{t("metrics.plot.earlier", { time: duration(spanOf(points) / 1000) })}</span>
        <span>{t("metrics.plot.now")}</span>
      </p>
      <details>
        <summary>{t("metrics.plot.table")}</summary>
        <div className={styles.table}>
          <table>
            <caption className="sr-only">{title}</caption>
            <thead>
              <tr>
                <th scope="col">{t("metrics.plot.time")}</th>
                <th scope="col">{title}</th>
              </tr>
            </thead>
            <tbody>
              {known.toReversed().map((point) => (
                <tr key={point.at}>
                  <th scope="row">{clock(point.at)}</th>
                  <td>{format(point.value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

function summary(title: string, known: readonly { value: number }[], format: (value: number) => string): string {
  if (known.length === 0) return title;
  const values = known.map((point) => point.value);
  return t("metrics.plot.summary", {
    title,
    now: format(values.at(-1) ?? 0),
    least: format(Math.min(...values)),
    most: format(Math.max(...values)),
  });
}
