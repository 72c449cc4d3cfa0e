/** Branding of the company. */

import { Alert, Button } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { notice } from "@/ui/notice";
import { Page } from "@/ui/Page";
import { Failed, Loading } from "@/ui/states";

import { BrandingEditor } from "./editor/BrandingEditor";
import styles from "./CompanyBrandingScreen.module.css";
import { useChangeCompany, useCompanyBranding, useDropCompany } from "./queries";

export default function CompanyBrandingScreen() {
  const { me, can } = useSession();
  const branding = useCompanyBranding();
  const change = useChangeCompany();
  const mayChange = can("org:manage");
  const intro = me.org.domain
    ? t("branding.intro.company.host", { company: me.org.name, host: me.org.domain })
    : t("branding.intro.company", { company: me.org.name });
  return (
    <Page title={t("branding.title")} intro={intro} actions={mayChange && branding.data?.own && <Drop company={me.org.name} />}>
      {branding.isPending && <Loading />}
      {branding.isError && <Failed error={branding.error} again={() => void branding.refetch()} />}
      {branding.isSuccess && (
        <>
          {(!branding.data.own || !mayChange) && (
            <Alert className={styles.note} color="accent" icon={<IconInfoCircle aria-hidden />}>
              {!branding.data.own && <p>{t("branding.inherited")}</p>}
              {!mayChange && <p>{t("branding.read_only")}</p>}
            </Alert>
          )}
          <BrandingEditor plane="company" branding={branding.data} mayChange={mayChange} save={change.mutateAsync} />
        </>
      )}
    </Page>
  );
}

function Drop({ company }: { company: string }) {
  const [asks, setAsks] = useState(false);
  const drop = useDropCompany();
  return (
    <>
      <Button variant="default" onClick={() => setAsks(true)}>
        {t("branding.drop")}
      </Button>
      {asks && (
        <ConfirmDialog
          title={t("branding.drop.title", { company })}
          confirm={t("branding.drop.do")}
          perform={async () => {
            await drop.mutateAsync();
            notice(t("branding.dropped"));
          }}
          onClose={() => setAsks(false)}
        >
          <p className="muted">{t("branding.drop.words")}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
