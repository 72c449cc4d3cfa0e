/** The company's audit log, across all teams. */

import { usePeople } from "@/api/people";
import { t } from "@/i18n";
import { useSession } from "@/session";
import { Page } from "@/ui/Page";
import { ExportButton } from "@/ui/trail/ExportDialog";
import { Trail } from "@/ui/trail/Trail";

import { companyTrail, useCompany } from "./queries";

export default function AuditScreen() {
  const { me } = useSession();
  const people = usePeople("org");
  const company = useCompany();
  const source = companyTrail(people.data ?? [], company.data?.teams ?? []);
  return (
    <Page title={t("company.audit")} intro={t("company.audit.intro", { company: me.org.name })} actions={<ExportButton source={source} />}>
      <Trail source={source} />
    </Page>
  );
}
