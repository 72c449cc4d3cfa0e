/** Line chart of a value over the last minutes, with the current value. */

import { dateFormat, t } from "@/i18n";

import { areaOf, ceilingOf, lineOf, spanOf, type Point } from "./plot";
import { PlotFrame } from "./PlotFrame";
import styles from "./PlotFrame.module.css";
import { duration } from "./quantities";

interface Props {
  title: string;
  points: readonly Point[];
  format: (value: number) => string;
  /** Minimum for the top of the scale, so that noise doesn't look like a peak. */
  least: number;
}

const clock = (at: number): string => dateFormat({ timeStyle: "medium" }).format(at);

export function LivePlot({ title, points, format, least }: Props) {
  const known = points.filter((point): point is { at: number; value: number } => point.value !== null);
  const now = known.at(-1)?.value;
  const top = ceilingOf(Math.max(least, ...known.map((point) => point.value)));
  return (
    <PlotFrame
      zero
      title={title}
      figure={now === undefined ? t("metrics.plot.wait") : format(now)}
      summary={summary(title, known, format)}
      top={format(top)}
      from={t("metrics.plot.earlier", { time: duration(spanOf(points) / 1000) })}
      until={t("metrics.plot.now")}
      rows={known.toReversed().map(({ at, value }) => ({ name: clock(at), value: format(value) }))}
    >
      <path className={styles.area} d={areaOf(points, top)} />
      <path className={styles.line} d={lineOf(points, top)} />
    </PlotFrame>
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
