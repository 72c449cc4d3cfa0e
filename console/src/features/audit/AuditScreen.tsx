/** The team's audit log. */

import { usePeople } from "@/api/people";
import { t } from "@/i18n";
import { useSession } from "@/session";
import { Page } from "@/ui/Page";
import { ExportButton } from "@/ui/trail/ExportDialog";
import { Trail } from "@/ui/trail/Trail";

import { teamTrail } from "./queries";

export default function AuditScreen() {
  const { me, can } = useSession();
  // People who left the team can still be in the company: company readers see their names.
  const people = usePeople(can("org:read") ? "org" : undefined);
  const source = teamTrail(people.data ?? []);
  return (
    <Page title={t("audit.title")} intro={t("audit.intro", { team: me.team.name })} actions={<ExportButton source={source} />}>
      <Trail source={source} />
    </Page>
  );
}
