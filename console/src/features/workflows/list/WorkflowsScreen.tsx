/** The team's workflows. */

import { Button } from "@mantine/core";
import { IconPlus, IconSitemap } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { byName, t } from "@/i18n";
import { useSession } from "@/session";
import { DataTable } from "@/ui/DataTable";
import { Empty, Failed, Loading } from "@/ui/states";
import { Tag } from "@/ui/Tag";
import { fits, ListFilter } from "@/ui/TextFilter";
import { Time } from "@/ui/Time";

import type { Definition } from "../api";
import { Area } from "../Area";
import styles from "../Area.module.css";
import { useDefinitions } from "../queries";
import { StateTag } from "../StateTag";
import { sourceWords, titleOf } from "../words";

export default function WorkflowsScreen() {
  const { can } = useSession();
  return (
    <Area title={t("workflows.title")} intro={t("workflows.intro")} actions={can("workflows:write") && <New />}>
      <Workflows />
    </Area>
  );
}

function New() {
  return (
    <Button leftSection={<IconPlus aria-hidden size={16} />} renderRoot={(props) => <Link {...props} to="/workflows/new" />}>
      {t("workflows.new")}
    </Button>
  );
}

function Workflows() {
  const workflows = useDefinitions();
  const [wanted, setWanted] = useState("");
  if (workflows.isPending) return <Loading />;
  if (!workflows.data) return <Failed error={workflows.error} again={() => void workflows.refetch()} />;
  if (workflows.data.length === 0) return <None />;
  const found = workflows.data
    .filter((one) => fits(wanted, titleOf(one), one.slug, one.description, one.source))
    .sort((one, other) => byName(titleOf(one), titleOf(other)));
  return (
    <>
      <ListFilter label={t("workflows.filter")} value={wanted} onChange={setWanted} count={t("workflows.count", { count: found.length })} />
      {found.length > 0 ? <Table rows={found} /> : <Empty title={t("workflows.none.filtered")} />}
    </>
  );
}

function Table({ rows }: { rows: readonly Definition[] }) {
  const { can } = useSession();
  return (
    <DataTable
      caption={t("workflows.title")}
      rows={rows}
      keyOf={({ slug }) => slug}
      columns={[
        { title: t("workflows.column.workflow"), cell: (row) => <Name definition={row} /> },
        { title: t("workflows.column.version"), cell: ({ version }) => version, end: true },
        { title: t("workflows.column.source"), cell: ({ source }) => <Tag tone={source === "team" ? "accent" : "plain"}>{sourceWords(source)}</Tag> },
        { title: t("workflows.column.last_run"), cell: ({ last_run }) => <LastRun run={last_run} /> },
      ]}
      actions={can("workflows:run") ? ({ slug, ...row }) => <Run slug={slug} title={titleOf({ slug, ...row })} /> : undefined}
    />
  );
}

function Name({ definition: { slug, ...rest } }: { definition: Definition }) {
  return (
    <span className={styles.lines}>
      <Link to="/workflows/spec/$slug" params={{ slug }}>
        {titleOf({ slug, ...rest })}
      </Link>
      <code className={styles.below}>{slug}</code>
      {rest.description && <span className={styles.below}>{rest.description}</span>}
    </span>
  );
}

function Run({ slug, title }: { slug: string; title: string }) {
  return (
    <Button variant="default" size="xs" aria-label={t("workflows.run.named", { title })} renderRoot={(props) => <Link {...props} to="/workflows/spec/$slug/run" params={{ slug }} />}>
      {t("workflows.run")}
    </Button>
  );
}

function LastRun({ run }: { run: Definition["last_run"] }) {
  if (!run) return <span className="muted">{t("workflows.last_run.none")}</span>;
  return (
    <Link className={styles.last} to="/workflows/runs/$id" params={{ id: run.id }}>
      <StateTag state={run.state} /> <Time at={run.created_at} />
    </Link>
  );
}

function None() {
  const { can } = useSession();
  return (
    <Empty title={t("workflows.none")} icon={IconSitemap} action={can("workflows:write") && <New />}>
      <p>{t("workflows.none.words")}</p>
      <p>{t(can("workflows:write") ? "workflows.none.write" : "workflows.none.read")}</p>
    </Empty>
  );
}
