/** Live metrics: requests, memory, routes and processes. */

import { Button } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useState } from "react";

import { t } from "@/i18n";
import { Page } from "@/ui/Page";
import { bytes, duration, figure } from "@/ui/quantities";
import { Failed, Loading } from "@/ui/states";
import { LivePlot } from "@/ui/LivePlot";

import { useFigures } from "../queries";
import type { Watched } from "./history";
import styles from "./Metrics.module.css";
import { Processes } from "./Processes";
import { Routes } from "./Routes";

export default function MetricsScreen() {
  const [paused, setPaused] = useState(false);
  const watched = useFigures(paused);
  return (
    <Page
      title={t("metrics.title")}
      intro={watched.data ? t("metrics.intro", { uptime: duration(watched.data.figures.uptime_seconds), version: watched.data.figures.version }) : undefined}
      actions={
        <Button
          variant="default"
          leftSection={paused ? <IconPlayerPlay aria-hidden size={15} /> : <IconPlayerPause aria-hidden size={15} />}
          onClick={() => setPaused(!paused)}
        >
          {paused ? t("metrics.go_on") : t("metrics.pause")}
        </Button>
      }
    >
      {watched.isPending && <Loading />}
      {watched.isError && <Failed error={watched.error} again={() => void watched.refetch()} />}
      {watched.data && <Metrics watched={watched.data} />}
    </Page>
  );
}

function Metrics({ watched: { figures, samples } }: { watched: Watched }) {
  return (
    <>
      <div className={styles.plots}>
        <LivePlot
          title={t("metrics.rate")}
          points={samples.map((sample) => ({ at: sample.at, value: sample.perSecond }))}
          format={(value) => t("metrics.rate.value", { rate: figure(value) })}
          least={1}
        />
        <LivePlot
          title={t("metrics.memory")}
          points={samples.map((sample) => ({ at: sample.at, value: sample.memory }))}
          format={bytes}
          least={100_000_000}
        />
      </div>
      <section className={styles.part} aria-labelledby="metrics-routes">
        <h2 id="metrics-routes">{t("metrics.routes")}</h2>
        <p className="muted">{t("metrics.routes.words")}</p>
        <Routes routes={figures.routes} />
      </section>
      <section className={styles.part} aria-labelledby="metrics-processes">
        <h2 id="metrics-processes">{t("metrics.processes")}</h2>
        <p className="muted">{t("metrics.unsealed", { count: figures.audit_unsealed })}</p>
        <Processes processes={figures.processes} />
      </section>
    </>
  );
}
