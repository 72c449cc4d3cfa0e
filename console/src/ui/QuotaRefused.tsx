/** Something was not done for want of quota: said in words, with the way to where one sees what it went for. */

import { Alert } from "@mantine/core";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";

import { fullQuotaWords, type FullQuota } from "./quotaWords";

export function QuotaRefused({ quota }: { quota: FullQuota }) {
  return (
    <Alert color="warning" role="alert" title={t("quotas.refused")}>
      {fullQuotaWords(quota)} <Link to="/usage">{t("quotas.refused.usage")}</Link>
    </Alert>
  );
}
