/** Plan of a company, with each plan's limits; changing it replaces all limits. */

import { Alert, Button, Radio } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useState } from "react";

import { t } from "@/i18n";
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
    <table className={styles.caps}>
      <caption className="sr-only">{t("companies.plan.caps")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("quotas.plan")}</th>
          {DIMENSIONS.map((dimension) => (
            <th key={dimension} scope="col">
              {t(`quotas.dimension.${dimension}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {PLAN_NAMES.map((plan) => (
          <tr key={plan} data-chosen={plan === chosen || undefined}>
            <th scope="row">
              <Radio value={plan} label={t(`quotas.plan.${plan}`)} />
            </th>
            {DIMENSIONS.map((dimension) => (
              <td key={dimension}>{limitOf(capOf(plan, dimension))}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
