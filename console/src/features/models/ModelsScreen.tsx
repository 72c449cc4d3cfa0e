/** Model roles: which model answers for each kind of work, and why; admins choose the executor. */

import { Link } from "@tanstack/react-router";

import { useExecutors, type Executor } from "@/api/executors";
import { t } from "@/i18n";
import { useSession } from "@/session";
import { Page, Section } from "@/ui/Page";
import { Failed, Loading } from "@/ui/states";

import { Answering } from "./Answering";
import { ExecutorChoice } from "./ExecutorChoice";
import { useReports, useRoles, type Report, type Roles } from "./queries";
import { SimulatedNotice } from "./SimulatedNotice";

export default function ModelsScreen() {
  const { me, can } = useSession();
  const intro = t("models.intro", { team: me.team.name });
  const whoChooses = (
    <>
      {t("models.reader")} <Link to="/settings/team/people">{t("models.reader.people")}</Link>
    </>
  );
  return (
    <Page title={t("models.title")} intro={can("settings:manage") ? intro : <>{intro} {whoChooses}</>}>
      <Models />
    </Page>
  );
}

function Models() {
  const roles = useRoles();
  const reports = useReports();
  const executors = useExecutors({ live: true });
  const queries = [roles, reports, executors];
  if (queries.some((query) => query.isPending)) return <Loading />;
  if (!roles.data || !reports.data || !executors.data) {
    const failed = queries.find((query) => query.isError);
    return <Failed error={failed?.error} again={() => void failed?.refetch()} />;
  }
  return (
    <>
      {reports.data.some((report) => report.simulated) && <SimulatedNotice />}
      {reports.data.map((report) => (
        <RoleSection key={report.role} report={report} roles={roles.data} executors={executors.data} />
      ))}
    </>
  );
}

interface RoleProps {
  report: Report;
  roles: Roles;
  executors: readonly Executor[];
}

function RoleSection({ report, roles, executors }: RoleProps) {
  const { can } = useSession();
  const title = t(`models.role.${report.role}`);
  return (
    <Section title={title} intro={t(`models.role.${report.role}.words`)}>
      <Answering report={report} />
      {can("settings:manage") && (
        <ExecutorChoice role={report.role} label={t("models.choose", { role: title })} chosen={roles.roles[report.role]} fallback={roles.instance[report.role]} executors={executors} />
      )}
    </Section>
  );
}
