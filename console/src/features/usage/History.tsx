/** Requests and tokens over time, by day or hour. */

import { useState } from "react";

import { t } from "@/i18n";
import { BarPlot } from "@/ui/BarPlot";
import { Segments } from "@/ui/Segments";
import { Failed, Loading } from "@/ui/states";

import { filled, spanName, SPANS, type Span } from "./history";
import { useHistory } from "./queries";
import styles from "./Usage.module.css";

export function History() {
  const [per, setPer] = useState<Span>("day");
  return (
    <section className={styles.part} aria-labelledby="usage-history">
      <div className={styles.top}>
        <div>
          <h2 id="usage-history">{t("usage.history")}</h2>
          <p className="muted">{t(`usage.history.${per}.words`)}</p>
        </div>
        <Segments
          aria-label={t("usage.history.per")}
          value={per}
          onChange={setPer}
          data={SPANS.map((span) => ({ value: span, label: t(`usage.history.${span}`) }))}
        />
      </div>
      <Plots per={per} />
    </section>
  );
}

function Plots({ per }: { per: Span }) {
  const history = useHistory(per);
  if (history.isPending) return <Loading />;
  if (!history.data) return <Failed error={history.error} again={() => void history.refetch()} />;
  const used = filled(history.data, per);
  return (
    <div className={styles.plots}>
      {(["requests", "tokens"] as const).map((what) => (
        <BarPlot key={what} title={t(`usage.history.${what}`)} spans={used.map((span) => ({ name: spanName(span.at, per), value: span[what] }))} />
      ))}
    </div>
  );
}
