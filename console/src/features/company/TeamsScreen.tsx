/** The company's details and teams. */

import { Button } from "@mantine/core";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { DataTable } from "@/ui/DataTable";
import { Endless } from "@/ui/endless";
import { Page } from "@/ui/Page";
import { Failed, Loading } from "@/ui/states";
import { Time } from "@/ui/Time";

import { CompanyCard } from "./CompanyCard";
import { NewTeam } from "./NewTeam";
import { newTeam } from "./openings";
import { useCompany, useTeams, type Team } from "./queries";
import styles from "./TeamsScreen.module.css";

export default function TeamsScreen() {
  const { can } = useSession();
  const creates = newTeam.useOpened();
  const company = useCompany();
  return (
    <Page
      title={t("company.teams")}
      intro={t("company.teams.intro")}
      actions={can("org:manage") && <Button onClick={newTeam.open}>{t("company.team.new")}</Button>}
    >
      {company.isPending && <Loading />}
      {company.isError && <Failed error={company.error} again={() => void company.refetch()} />}
      {company.isSuccess && <CompanyCard company={company.data} />}
      {company.isSuccess && <Teams />}
      {creates && can("org:manage") && <NewTeam onClose={newTeam.close} />}
    </Page>
  );
}

function Teams() {
  const { me } = useSession();
  const teams = useTeams();
  if (teams.isPending) return <Loading />;
  if (teams.isLoadingError) return <Failed error={teams.error} again={() => void teams.refetch()} />;
  const seatIn = (team: Team): string => {
    const seat = me.teams.find((each) => each.team_id === team.id);
    return seat ? t(`role.${seat.role}`) : t("company.team.outside");
  };
  return (
    <>
      <DataTable
        caption={t("company.teams")}
        rows={teams.data}
        keyOf={(team) => team.id}
        columns={[
          { title: t("company.column.team"), cell: (team) => <b className={styles.name}>{team.name}</b> },
          { title: t("company.column.slug"), cell: (team) => <code>{team.slug}</code> },
          { title: t("company.column.seat"), cell: seatIn },
          { title: t("company.column.created"), cell: (team) => <Time at={team.created_at} /> },
        ]}
      />
      <Endless query={teams} />
    </>
  );
}
