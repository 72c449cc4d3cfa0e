/** The company's limits and usage, and who can change the limits. */

import { Button } from "@mantine/core";
import { IconGauge } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Page } from "@/ui/Page";
import { QuotaTable } from "@/ui/QuotaTable";
import { Empty, Failed, Loading } from "@/ui/states";
import { Tag } from "@/ui/Tag";

import { useCompany } from "./queries";
import styles from "./QuotasScreen.module.css";

export default function QuotasScreen() {
  const { me, operator } = useSession();
  const company = useCompany();
  return (
    <Page
      title={t("quotas.title")}
      intro={t("quotas.intro", { company: me.org.name })}
      actions={
        operator && (
          <Button variant="default" component={Link} to={`/settings/instance/companies/${me.org.slug}`}>
            {t("quotas.change")}
          </Button>
        )
      }
    >
      {company.isPending && <Loading />}
      {company.isError && <Failed error={company.error} again={() => void company.refetch()} />}
      {company.isSuccess && (
        <>
          <p className={styles.plan}>
            {t("quotas.plan")} <Tag tone="accent">{t(`quotas.plan.${company.data.plan}`)}</Tag>
          </p>
          {company.data.quotas.length > 0 ? (
            <QuotaTable caption={t("quotas.title")} quotas={company.data.quotas} />
          ) : (
            <Empty title={t("quotas.none")} icon={IconGauge}>
              {t("quotas.none.words")}
            </Empty>
          )}
          <p className={styles.who}>{t(operator ? "quotas.who.operator" : "quotas.who")}</p>
        </>
      )}
    </Page>
  );
}
