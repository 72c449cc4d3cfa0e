/** Branding of the instance: before sign-in, and for companies without their own. */

import { t } from "@/i18n";
import { Page } from "@/ui/Page";
import { Failed, Loading } from "@/ui/states";

import { BrandingEditor } from "./editor/BrandingEditor";
import { useChangeInstance, useInstanceBranding } from "./queries";

export default function InstanceBrandingScreen() {
  const branding = useInstanceBranding();
  const change = useChangeInstance();
  return (
    <Page title={t("branding.title")} intro={t("branding.intro.instance")}>
      {branding.isPending && <Loading />}
      {branding.isError && <Failed error={branding.error} again={() => void branding.refetch()} />}
      {branding.isSuccess && <BrandingEditor plane="instance" branding={branding.data} mayChange save={change.mutateAsync} />}
    </Page>
  );
}
