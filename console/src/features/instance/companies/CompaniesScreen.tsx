/** All companies of the instance. */

import { Button } from "@mantine/core";
import { IconBuildingCommunity, IconPlus } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { t } from "@/i18n";
import { useConfig } from "@/session/config";
import { DataTable, type Column } from "@/ui/DataTable";
import { Endless } from "@/ui/endless";
import { Page } from "@/ui/Page";
import { Empty, Failed, Loading } from "@/ui/states";
import { Tag } from "@/ui/Tag";
import { fits, ListFilter } from "@/ui/TextFilter";
import { Time } from "@/ui/Time";

import { newCompany } from "../openings";
import { useCompanies, type Org } from "../queries";
import styles from "./Companies.module.css";
import { Demo } from "./Demo";
import { Creating } from "./NewCompany";

export default function CompaniesScreen() {
  const multitenant = useConfig().data?.multitenant;
  return (
    <Page
      title={t("companies.title")}
      intro={t(multitenant ? "companies.intro" : "companies.intro.single")}
      actions={
        multitenant && (
          <Button leftSection={<IconPlus aria-hidden size={16} />} onClick={newCompany.open}>
            {t("companies.new")}
          </Button>
        )
      }
    >
      <Companies mayAdd={multitenant === true} />
      {multitenant && <Creating />}
    </Page>
  );
}

function Companies({ mayAdd }: { mayAdd: boolean }) {
  const companies = useCompanies();
  const [wanted, setWanted] = useState("");
  if (companies.isPending) return <Loading />;
  if (companies.isError && !companies.data) return <Failed error={companies.error} again={() => void companies.refetch()} />;
  const all = companies.data ?? [];
  const found = all.filter((org) => fits(wanted, org.name, org.slug, org.domain ?? ""));
  return (
    <>
      <ListFilter
        label={t("companies.filter")}
        value={wanted}
        onChange={setWanted}
        count={t(companies.hasNextPage ? "companies.count.more" : "companies.count", { count: found.length })}
      />
      {found.length > 0 && <DataTable caption={t("companies.title")} columns={columns()} rows={found} keyOf={(org) => org.id} />}
      {found.length === 0 && !companies.hasNextPage && (
        <Empty title={t("companies.nothing")} icon={IconBuildingCommunity}>
          {t("companies.nothing.words")}
        </Empty>
      )}
      <Endless query={companies} eager={wanted !== ""} />
      <Demo offered={mayAdd && all.length === 1 && wanted === ""} />
    </>
  );
}

const columns = (): Column<Org>[] => [
  {
    title: t("companies.column.name"),
    cell: (org) => (
      <span className={styles.name}>
        <Link to={`/settings/instance/companies/${org.slug}`}>{org.name}</Link>
        <code>{org.slug}</code>
      </span>
    ),
  },
  { title: t("companies.column.plan"), cell: (org) => t(`quotas.plan.${org.plan}`) },
  { title: t("companies.column.host"), cell: (org) => org.domain ?? <span className="muted">{t("companies.host.none")}</span> },
  { title: t("companies.column.state"), cell: (org) => <StatusTag suspended={org.suspended} /> },
  { title: t("companies.column.created"), cell: (org) => <Time at={org.created_at} /> },
];

export function StatusTag({ suspended }: { suspended: boolean }) {
  return suspended ? <Tag tone="warning">{t("companies.suspended")}</Tag> : <Tag tone="success">{t("companies.active")}</Tag>;
}
