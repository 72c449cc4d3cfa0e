/** What a run would cost at most, and what would hold it up. */

import { Alert } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";

import { number, t } from "@/i18n";
import { DataTable } from "@/ui/DataTable";
import { fullQuotaWords } from "@/ui/quotaWords";

import type { DryRun } from "../api";

export function Estimate({ dryRun }: { dryRun: DryRun }) {
  return (
    <>
      <Verdict dryRun={dryRun} />
      <DataTable
        caption={t("workflows.estimate.steps")}
        rows={dryRun.steps}
        keyOf={({ id }) => id}
        columns={[
          { title: t("workflows.column.step"), cell: ({ id }) => <code>{id}</code> },
          { title: t("workflows.column.jobs"), cell: ({ jobs }) => (jobs === null ? t("workflows.estimate.unknown") : number(jobs)), end: true },
          { title: t("workflows.column.requests"), cell: ({ requests }) => number(requests), end: true },
          { title: t("workflows.column.tokens"), cell: ({ tokens }) => number(tokens), end: true },
        ]}
      />
    </>
  );
}

function Verdict({ dryRun: { estimate, admitted, blocked_by: blocked } }: { dryRun: DryRun }) {
  const cost = estimate.requests > 0 ? t("workflows.estimate.cost", { requests: estimate.requests, tokens: number(estimate.tokens) }) : t("workflows.estimate.free");
  if (admitted || !blocked) {
    return (
      <Alert color="success" role="note" icon={<IconCircleCheck aria-hidden size={18} />} title={cost}>
        {t("workflows.estimate.admitted")}
      </Alert>
    );
  }
  return (
    <Alert color="warning" role="note" icon={<IconAlertTriangle aria-hidden size={18} />} title={cost}>
      {fullQuotaWords(blocked)} {t("workflows.estimate.blocked")}
    </Alert>
  );
}
