/** A company's limits; custom ones are marked. */

import { Button } from "@mantine/core";
import { useState } from "react";

import { t } from "@/i18n";
import { Section } from "@/ui/Page";
import { QuotaTable, type Quota } from "@/ui/QuotaTable";
import { Tag } from "@/ui/Tag";

import type { Company } from "../queries";
import { LimitDialog } from "./LimitDialog";
import { setByHand } from "./plans";

export function Limits({ company }: { company: Company }) {
  const [chosen, setChosen] = useState<Quota | null>(null);
  return (
    <Section title={t("quotas.title")} intro={t("companies.limits.words")}>
      <QuotaTable
        caption={t("quotas.title")}
        quotas={company.quotas}
        mark={(quota) => setByHand(company.plan, quota) && <Tag>{t("companies.limits.by_hand")}</Tag>}
        actions={(quota) => (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={t("companies.limits.set.named", { what: t(`quotas.dimension.${quota.dimension}`) })}
            onClick={() => setChosen(quota)}
          >
            {t("companies.limits.set")}
          </Button>
        )}
      />
      {chosen && <LimitDialog company={company} quota={chosen} onClose={() => setChosen(null)} />}
    </Section>
  );
}
