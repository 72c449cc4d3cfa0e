/** How the instance looks: to everybody whose company has no look of its own, and before anybody signs in. */

import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";

import { t } from "@/i18n";
import { Page } from "@/ui/Page";
import { Failed, Loading } from "@/ui/states";

import { BrandingEditor } from "./editor/BrandingEditor";
import { useChangeInstance, useCompanyOfHost, useInstanceBranding } from "./queries";

export default function InstanceBrandingScreen() {
  const branding = useInstanceBranding();
  const change = useChangeInstance();
  const company = useCompanyOfHost();
  const failed = branding.error ?? company.error;
  return (
    <Page title={t("branding.title")} intro={t("branding.intro.instance")} wide>
      {failed && <Failed error={failed} again={() => void Promise.all([branding.refetch(), company.refetch()])} />}
      {!failed && (branding.isPending || company.isPending) && <Loading />}
      {company.data && (
        <Alert color="warning" icon={<IconAlertTriangle aria-hidden />} title={t("branding.elsewhere")}>
          {t("branding.elsewhere.words", { company: company.data.name, host: location.hostname })}
        </Alert>
      )}
      {branding.isSuccess && company.data === null && (
        <BrandingEditor plane="instance" branding={branding.data} mayChange save={change.mutateAsync} />
      )}
    </Page>
  );
}
