/** Server processes, with all their metrics. */

import { number, t } from "@/i18n";
import { DataTable } from "@/ui/DataTable";
import { bytes, duration, percent } from "@/ui/quantities";
import { Time } from "@/ui/Time";

import type { Figures } from "../queries";
import styles from "./Metrics.module.css";

type Readings = Figures["processes"][string];

const startOf = (readings: Readings): string => new Date((readings.process_start_time_seconds ?? 0) * 1000).toISOString();

export function Processes({ processes }: { processes: Figures["processes"] }) {
  return (
    <>
      <DataTable
        caption={t("metrics.processes")}
        rows={Object.entries(processes)}
        keyOf={([name]) => name}
        columns={[
          { title: t("metrics.column.process"), cell: ([name]) => <span className={styles.process}>{name}</span> },
          { title: t("metrics.column.started"), cell: ([, readings]) => <Time at={startOf(readings)} /> },
          { title: t("metrics.column.memory"), end: true, cell: ([, readings]) => bytes(readings.process_resident_memory_bytes ?? 0) },
          { title: t("metrics.column.cpu"), end: true, cell: ([, readings]) => duration(readings.process_cpu_seconds_total ?? 0) },
          {
            title: t("metrics.column.files"),
            end: true,
            cell: ([, { process_open_fds: open = 0, process_max_fds: most = 0 }]) => t("metrics.files", { open, most }),
          },
          { title: t("metrics.column.underway"), end: true, cell: ([, readings]) => number(readings.teamspace_requests_underway ?? 0) },
          { title: t("metrics.column.shed"), end: true, cell: ([, readings]) => percent(readings.teamspace_shed_share ?? 0) },
        ]}
      />
      {Object.entries(processes).map(([name, readings]) => (
        <Everything key={name} name={name} readings={readings} />
      ))}
    </>
  );
}

function Everything({ name, readings }: { name: string; readings: Readings }) {
  return (
    <details className={styles.all}>
      <summary>{t("metrics.everything", { process: name })}</summary>
      <dl>
        {Object.entries(readings).map(([reading, value]) => (
          <div key={reading}>
            <dt>{reading}</dt>
            <dd>{number(value)}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
