/** Usage over time: days with limit and forecast, or AI usage by hour. */

import { IconChartLine } from "@tabler/icons-react";
import { useState } from "react";

import { t } from "@/i18n";
import { BarPlot } from "@/ui/BarPlot";
import { Segments } from "@/ui/Segments";
import { Skeleton } from "@/ui/skeleton/Skeleton";
import { Empty, Failed } from "@/ui/states";

import { filled, hourName } from "./history";
import { HistoryPlot } from "./plot/HistoryPlot";
import { useDays, useHours, type MetricHistory } from "./queries";
import styles from "./Usage.module.css";

const SPANS = ["hours", "30", "90", "365"] as const;
export const FIRST_SPAN = 30;
type Span = (typeof SPANS)[number];

export function History() {
  const [span, setSpan] = useState<Span>(`${FIRST_SPAN}`);
  return (
    <section className={styles.part} aria-labelledby="usage-history">
      <div className={styles.top}>
        <div>
          <h2 id="usage-history">{t("usage.over")}</h2>
          <p className="muted">{t(span === "hours" ? "usage.over.hours.words" : "usage.over.words")}</p>
        </div>
        <Segments
          aria-label={t("usage.over.span")}
          value={span}
          onChange={setSpan}
          data={SPANS.map((each) => ({ value: each, label: t(`usage.over.span.${each}`) }))}
        />
      </div>
      {span === "hours" ? <Hours /> : <Days days={Number(span)} />}
    </section>
  );
}

function Days({ days }: { days: number }) {
  const history = useDays(days);
  if (history.isPending) return <Skeleton shape="blocks" rows={2} />;
  if (!history.data) return <Failed error={history.error} again={() => void history.refetch()} />;
  if (isNew(history.data)) {
    return (
      <Empty title={t("usage.over.new")} icon={IconChartLine}>
        {t("usage.over.new.words")}
      </Empty>
    );
  }
  return (
    <div className={styles.plots}>
      {history.data.map((each) => (
        <HistoryPlot key={each.metric} history={each} />
      ))}
    </div>
  );
}

/** One day without anything is no chart yet. */
const isNew = (histories: readonly MetricHistory[]): boolean =>
  histories.every(({ days, metric }) => days.length < 2 && (metric.startsWith("traffic.") || days.every(({ total, amount }) => total === 0 && amount === 0)));

function Hours() {
  const history = useHours();
  if (history.isPending) return <Skeleton shape="blocks" rows={2} />;
  if (!history.data) return <Failed error={history.error} again={() => void history.refetch()} />;
  const used = filled(history.data);
  return (
    <div className={styles.plots}>
      {(["requests", "tokens"] as const).map((what) => (
        <BarPlot key={what} title={t(`usage.history.${what}`)} spans={used.map((hour) => ({ name: hourName(hour.at), value: hour[what] }))} />
      ))}
    </div>
  );
}
