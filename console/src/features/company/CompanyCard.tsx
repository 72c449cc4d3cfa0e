/** Company details: name, plan, hostname and suspension. */

import { t } from "@/i18n";
import { Copyable } from "@/ui/Copyable";
import { Facts } from "@/ui/Facts";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";

import styles from "./CompanyCard.module.css";
import type { Company } from "./queries";

export function CompanyCard({ company }: { company: Company }) {
  return (
    <section className={styles.card} aria-label={company.name}>
      <div className={styles.head}>
        <span className={styles.letter} aria-hidden>
          {company.name.slice(0, 1).toUpperCase()}
        </span>
        <h2>{company.name}</h2>
        <Tag tone="accent">{t(`quotas.plan.${company.plan}`)}</Tag>
        {company.suspended && <Tag tone="warning">{t("company.suspended")}</Tag>}
      </div>
      <Facts
        facts={[
          [t("company.host"), company.domain ? <Copyable value={company.domain} label={t("company.host")} /> : t("company.host.none")],
          [t("company.slug"), <Copyable key="slug" value={company.slug} label={t("company.slug")} />],
          [t("company.since"), <Time key="since" at={company.created_at} />],
          ...(company.suspended_at ? [[t("company.suspended.since"), <Time key="suspended" at={company.suspended_at} />] as const] : []),
        ]}
      />
    </section>
  );
}
