/** A quota error in words, with a link to the usage page. */

import { Alert } from "@mantine/core";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";

import { fullQuotaWords, type FullQuota } from "./quotaWords";

export default function QuotaRefused({ quota }: { quota: FullQuota }) {
  return (
    <Alert color="warning" role="alert" title={t("quotas.refused")}>
      {fullQuotaWords(quota)} <Link to="/settings/team/usage">{t("quotas.refused.usage")}</Link>
    </Alert>
  );
}
