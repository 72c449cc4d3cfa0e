/** What a run would cost at most, and what would hold it up or make it fail. */

import { Alert } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";

import { number, t } from "@/i18n";
import { DataTable } from "@/ui/DataTable";
import { fullQuotaWords } from "@/ui/quotaWords";

import type { DryRun, DryStep } from "../api";
import styles from "../Area.module.css";
import { faultWords } from "../words";
import { obstacleIn } from "./obstacles";

export function Estimate({ dryRun }: { dryRun: DryRun }) {
  return (
    <>
      <Verdict dryRun={dryRun} />
      <DataTable
        caption={t("workflows.estimate.steps")}
        rows={dryRun.steps}
        keyOf={({ id }) => id}
        columns={[
          { title: t("workflows.column.step"), cell: (step) => <Name step={step} /> },
          { title: t("workflows.column.jobs"), cell: ({ jobs, most_jobs: most }) => (jobs === null ? t("workflows.estimate.most", { most }) : number(jobs)), end: true },
          { title: t("workflows.column.requests"), cell: ({ requests }) => number(requests), end: true },
          { title: t("workflows.column.tokens"), cell: ({ tokens }) => number(tokens), end: true },
        ]}
      />
    </>
  );
}

function Name({ step: { id, certain, offered, tool, error } }: { step: DryStep }) {
  return (
    <span className={styles.lines}>
      <code>{id}</code>
      {!certain && <span className={styles.below}>{t("workflows.estimate.maybe")}</span>}
      {!offered && <span className={styles.below}>{t("workflows.estimate.not_offered", { tool })}</span>}
      {error && <span className={styles.below}>{faultWords(error)}</span>}
    </span>
  );
}

function Verdict({ dryRun }: { dryRun: DryRun }) {
  const { estimate, blocked_by: blocked } = dryRun;
  const cost = estimate.requests > 0 ? t("workflows.estimate.cost", { requests: estimate.requests, tokens: number(estimate.tokens) }) : t("workflows.estimate.free");
  switch (obstacleIn(dryRun)) {
    case "fails":
      return (
        <Warning title={t("workflows.estimate.fails")}>
          {t("workflows.estimate.fails.words")} {cost}.
        </Warning>
      );
    case "quota":
      return (
        <Warning title={cost}>
          {blocked && fullQuotaWords(blocked)} {t("workflows.estimate.blocked")}
        </Warning>
      );
    default:
      return (
        <Alert color="success" role="note" icon={<IconCircleCheck aria-hidden size={18} />} title={cost}>
          {t("workflows.estimate.admitted")}
        </Alert>
      );
  }
}

function Warning({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Alert color="warning" role="note" icon={<IconAlertTriangle aria-hidden size={18} />} title={title}>
      {children}
    </Alert>
  );
}
