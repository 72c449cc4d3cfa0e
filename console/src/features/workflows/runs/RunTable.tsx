/** Runs as a table, newest first. */

import { Link } from "@tanstack/react-router";

import { number, t } from "@/i18n";
import { DataTable, type Column } from "@/ui/DataTable";
import { useNames } from "@/ui/names";
import { Time } from "@/ui/Time";

import type { RunItem, RunOutline } from "../api";
import styles from "../Area.module.css";
import { StateTag } from "../StateTag";
import { faultWords, tookWords } from "../words";

type Run = RunItem | RunOutline;

interface Props {
  runs: readonly Run[];
  caption: string;
  /** With the name of the workflow. */
  named?: boolean;
}

export function RunTable({ runs, caption, named = true }: Props) {
  const names = useNames();
  const columns: Column<Run>[] = [
    { title: t("workflows.column.run"), cell: (run) => <Name run={run} named={named} /> },
    { title: t("workflows.column.state"), cell: (run) => <StateTag state={run.state} waiting={run.view === "full" && run.waiting} /> },
    { title: t("workflows.column.by"), cell: (run) => (run.view === "full" ? names.ofOrYou(run.owner) : t("workflows.outline.by")) },
    { title: t("workflows.column.took"), cell: (run) => (run.finished_at ? tookWords(run.created_at, run.finished_at) : "") },
    { title: t("workflows.column.tokens"), cell: (run) => (run.view === "full" ? number(run.usage.tokens) : ""), end: true },
  ];
  return <DataTable caption={caption} rows={runs} keyOf={({ id }) => id} columns={columns} />;
}

function Name({ run, named }: { run: Run; named: boolean }) {
  return (
    <span className={styles.lines}>
      <Link to="/workflows/runs/$id" params={{ id: run.id }}>
        {named ? t("workflows.run.of", { workflow: run.title, version: run.version }) : t("workflows.run.version", { version: run.version })}
      </Link>
      <span className={styles.below}>
        <Time at={run.created_at} />
        {run.view === "full" && run.trigger_id ? ` · ${t("workflows.run.triggered")}` : ""}
      </span>
      {run.view === "full" && run.error && <span className={styles.below}>{faultWords(run.error)}</span>}
    </span>
  );
}
