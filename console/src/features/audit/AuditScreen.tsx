/** The team's audit trail. */

import { usePeople } from "@/api/people";
import { useSession } from "@/app/session";
import { t } from "@/i18n";
import { Page } from "@/ui/Page";
import { ExportButton } from "@/ui/trail/ExportDialog";
import { Trail } from "@/ui/trail/Trail";

import { teamTrail } from "./queries";

export default function AuditScreen() {
  const { me, can } = useSession();
  // Whoever left the team is still in the company: those who may see it are told their names.
  const people = usePeople(can("org:read") ? "org" : undefined);
  const source = teamTrail(people.data ?? []);
  return (
    <Page title={t("audit.title")} intro={t("audit.intro", { team: me.team.name })} actions={<ExportButton source={source} />}>
      <Trail source={source} />
    </Page>
  );
}
