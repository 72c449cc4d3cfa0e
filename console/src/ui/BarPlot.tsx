/** Bar chart: one bar per time span, and the total. */

import { number, t } from "@/i18n";

import { barsOf, ceilingOf } from "./plot";
import { PlotFrame } from "./PlotFrame";
import styles from "./PlotFrame.module.css";

export interface Span {
  name: string;
  value: number;
}

interface Props {
  title: string;
  /** Oldest first, without gaps. */
  spans: readonly Span[];
}

export function BarPlot({ title, spans }: Props) {
  const most = Math.max(1, ...spans.map((span) => span.value));
  const sum = number(spans.reduce((all, span) => all + span.value, 0));
  const top = ceilingOf(most);
  return (
    <PlotFrame
      title={title}
      figure={t("ui.plot.sum", { sum })}
      summary={summary(title, spans, sum)}
      top={number(top)}
      from={spans[0]?.name ?? ""}
      until={spans.at(-1)?.name ?? ""}
      rows={spans.toReversed().map(({ name, value }) => ({ name, value: number(value) }))}
    >
      {barsOf(spans.map((span) => span.value), top).map((bar, place) => (
        <rect key={place} className={styles.span} {...bar}>
          <title>{t("ui.plot.span", { name: spans[place]?.name, value: number(spans[place]?.value ?? 0) })}</title>
        </rect>
      ))}
    </PlotFrame>
  );
}

function summary(title: string, spans: readonly Span[], sum: string): string {
  const highest = spans.reduce<Span | undefined>((best, span) => (span.value > (best?.value ?? 0) ? span : best), undefined);
  if (!highest) return t("ui.plot.nothing", { title });
  return t("ui.plot.summary", { title, sum, most: number(highest.value), when: highest.name });
}
