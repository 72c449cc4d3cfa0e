/** A company for operators: name, plan, hostname, limits, teams and suspension. */

import { Button } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { Link, useParams } from "@tanstack/react-router";

import { t } from "@/i18n";
import { Copyable } from "@/ui/Copyable";
import { DataTable } from "@/ui/DataTable";
import { Page, Section } from "@/ui/Page";
import { Failed, Loading } from "@/ui/states";
import { Time } from "@/ui/Time";

import { useCompany, type Company } from "../queries";
import { StatusTag } from "./CompaniesScreen";
import styles from "./CompanyScreen.module.css";
import { Hostname } from "./Hostname";
import { Limits } from "./Limits";
import { Naming } from "./Naming";
import { PlanChoice } from "./PlanChoice";
import { Suspension } from "./Suspension";

export default function CompanyScreen() {
  const { ref = "" } = useParams({ strict: false }) as { ref?: string };
  const company = useCompany(ref);
  if (company.isPending) return <Loading />;
  if (company.isLoadingError) return <Failed error={company.error} again={() => void company.refetch()} />;
  return <CompanyDetails key={company.data.id} company={company.data} />;
}

function CompanyDetails({ company }: { company: Company }) {
  return (
    <Page
      title={company.name}
      intro={
        <span className={styles.facts}>
          <StatusTag suspended={company.suspended} />
          <Copyable value={company.slug} label={t("company.slug")} />
          <span>
            {t("companies.since")} <Time at={company.created_at} />
          </span>
        </span>
      }
      actions={
        <Button variant="default" component={Link} to="/settings/instance/companies" leftSection={<IconArrowLeft aria-hidden size={15} />}>
          {t("companies.all")}
        </Button>
      }
    >
      <Naming company={company} />
      <PlanChoice key={company.plan} company={company} />
      <Hostname key={company.domain} company={company} />
      <Limits company={company} />
      <Section title={t("company.teams")} intro={t("companies.teams.words", { count: company.teams.length })}>
        <DataTable
          caption={t("company.teams")}
          rows={company.teams}
          keyOf={(team) => team.id}
          columns={[
            { title: t("company.column.team"), cell: (team) => team.name },
            { title: t("company.column.slug"), cell: (team) => <code>{team.slug}</code> },
            { title: t("company.column.created"), cell: (team) => <Time at={team.created_at} /> },
          ]}
        />
      </Section>
      <Suspension company={company} />
    </Page>
  );
}
