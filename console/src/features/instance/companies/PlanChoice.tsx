/** Plan of a company, with each plan's limits; changing it replaces all limits. */

import { Alert, Button, Radio } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useState } from "react";

import { t } from "@/i18n";
import { DataTable } from "@/ui/DataTable";
import { notice, noticeFault } from "@/ui/notice";
import { Section } from "@/ui/Page";
import { limitOf } from "@/ui/QuotaTable";

import { useChangeCompany, type Company, type Plan } from "../queries";
import styles from "./PlanChoice.module.css";
import { capOf, DIMENSIONS, PLAN_NAMES, setByHand } from "./plans";

export function PlanChoice({ company }: { company: Company }) {
  const [plan, setPlan] = useState<Plan>(company.plan);
  const change = useChangeCompany(company.slug);
  const byHand = company.quotas.filter((quota) => setByHand(company.plan, quota));
  const apply = (): void =>
    change.mutate({ plan }, { onSuccess: () => notice(t("companies.plan.done", { plan: t(`quotas.plan.${plan}`) })), onError: noticeFault });
  return (
    <Section title={t("quotas.plan")} intro={t("companies.plan.words")}>
      <Radio.Group label={t("quotas.plan")} labelProps={{ className: "sr-only" }} value={plan} onChange={(value) => setPlan(value as Plan)}>
        <Caps chosen={plan} />
      </Radio.Group>
      {plan !== company.plan && byHand.length > 0 && (
        <Alert className={styles.note} color="warning" icon={<IconAlertTriangle aria-hidden />}>
          {t("companies.plan.by_hand", {
            limits: byHand.map((quota) => `${t(`quotas.dimension.${quota.dimension}`)}: ${limitOf(quota)}`).join("; "),
          })}
        </Alert>
      )}
      <Button className={styles.note} variant="default" disabled={plan === company.plan} loading={change.isPending} onClick={apply}>
        {t("companies.plan.do")}
      </Button>
    </Section>
  );
}

function Caps({ chosen }: { chosen: Plan }) {
  return (
    <div className={styles.caps}>
      <DataTable
        caption={t("companies.plan.caps")}
        rows={PLAN_NAMES}
        keyOf={(plan) => plan}
        isChosen={(plan) => plan === chosen}
        columns={[
          { title: t("quotas.plan"), cell: (plan) => <Radio value={plan} label={t(`quotas.plan.${plan}`)} /> },
          ...DIMENSIONS.map((dimension) => ({ title: t(`quotas.dimension.${dimension}`), cell: (plan: Plan) => limitOf(capOf(plan, dimension)) })),
        ]}
      />
    </div>
  );
}
