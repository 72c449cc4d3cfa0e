/** One workflow: its graph, inputs, versions, last runs and triggers. */

import { Button, NativeSelect } from "@mantine/core";
import { IconCopy, IconPencil, IconPlayerPlay } from "@tabler/icons-react";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { useCommand } from "@/ui/commands";
import { DataTable } from "@/ui/DataTable";
import { Facts, type Fact } from "@/ui/Facts";
import { useNames } from "@/ui/names";
import { useOpened } from "@/ui/shortcuts/queries";
import { Star } from "@/ui/shortcuts/Star";
import { Snippet } from "@/ui/Snippet";
import { MissingItem } from "@/ui/MissingItem";
import { Failed, Loading } from "@/ui/states";
import { Time } from "@/ui/Time";

import type { DefinitionDetail } from "../api";
import { Item } from "../Area";
import styles from "../Area.module.css";
import { written } from "../editor/templates";
import { Graph } from "../graph/Graph";
import { Part } from "../Part";
import { useDefinition, useRunsOf, useTriggers } from "../queries";
import { RunTable } from "../runs/RunTable";
import { specOf, type Spec } from "../spec/shapes";
import { typeWords } from "../spec/words";
import { EnabledTag } from "../triggers/EnabledTag";
import { matchWords } from "../triggers/words";
import { sourceWords, titleOf } from "../words";
import one from "./Workflow.module.css";

export default function WorkflowScreen() {
  const { slug } = useParams({ strict: false }) as { slug: string };
  const version = useVersion();
  const newest = useDefinition(slug);
  const shown = useDefinition(slug, version);
  const query = version === undefined ? newest : shown;
  if (query.data) return <Workflow key={slug} definition={query.data} newest={newest.data?.version ?? query.data.version} />;
  return (
    <Item back="/workflows" title={slug}>
      {query.isPending ? <Loading /> : <MissingItem error={query.error} again={() => void query.refetch()} list="/workflows" title={t("workflows.title")} />}
    </Item>
  );
}

/** In the address, so that a link to a version can be shared. */
function useVersion(): number | undefined {
  const { version } = useSearch({ strict: false }) as { version?: unknown };
  return typeof version === "number" && Number.isInteger(version) && version > 0 ? version : undefined;
}

function Workflow({ definition, newest }: { definition: DefinitionDetail; newest: number }) {
  const spec = useMemo(() => specOf(definition.spec), [definition.spec]);
  const title = titleOf(definition);
  return (
    <Item back="/workflows" title={title} intro={definition.description || undefined} actions={<Actions slug={definition.slug} title={title} />}>
      <Facts facts={useFacts(definition, newest)} />
      <Part title={t("workflows.steps")}>{spec && <Graph spec={spec} label={t("workflows.graph", { title })} />}</Part>
      <Part title={t("workflows.inputs")}>{spec && <Inputs spec={spec} />}</Part>
      <Part title={t("workflows.runs.last")}>
        <LastRuns slug={definition.slug} />
      </Part>
      <Part title={t("workflows.triggers")}>
        <Triggers slug={definition.slug} />
      </Part>
      <details className={one.json}>
        <summary>{t("workflows.spec.json")}</summary>
        <Snippet label={t("workflows.spec.json")} text={written(definition.spec)} />
      </details>
    </Item>
  );
}

function Actions({ slug, title }: { slug: string; title: string }) {
  useOpened({ kind: "workflow", id: slug });
  const { can } = useSession();
  const go = useNavigate();
  useCommand("edit", () => {
    if (!can("workflows:write")) return false;
    void go({ to: "/workflows/spec/$slug/edit", params: { slug } });
  });
  return (
    <>
      <Star subject={{ kind: "workflow", id: slug }} title={title} />
      {can("workflows:write") && (
        <>
          <Button variant="default" leftSection={<IconCopy aria-hidden size={16} />} renderRoot={(props) => <Link {...props} to="/workflows/new" search={{ from: slug } as never} />}>
            {t("workflows.copy")}
          </Button>
          <Button variant="default" leftSection={<IconPencil aria-hidden size={16} />} renderRoot={(props) => <Link {...props} to="/workflows/spec/$slug/edit" params={{ slug }} />}>
            {t("action.edit")}
          </Button>
        </>
      )}
      {can("workflows:run") && (
        <Button leftSection={<IconPlayerPlay aria-hidden size={16} />} renderRoot={(props) => <Link {...props} to="/workflows/spec/$slug/run" params={{ slug }} />}>
          {t("workflows.run")}
        </Button>
      )}
    </>
  );
}

function useFacts(definition: DefinitionDetail, newest: number): Fact[] {
  const names = useNames();
  const { slug, source, author, version, max_steps: most, updated_at: at } = definition;
  return [
    [t("workflows.fact.slug"), <code key="slug" className={styles.code}>{slug}</code>],
    [t("workflows.column.version"), <Versions key="version" version={version} newest={newest} />],
    [t("workflows.column.source"), sourceWords(source)],
    [t("workflows.fact.published"), <span key="at"><Time at={at} />{author && source === "team" ? ` · ${names.ofOrYou(author)}` : ""}</span>],
    [t("workflows.fact.most"), t("workflows.fact.most.words", { count: most })],
  ];
}

/** Older ones are rarely wanted; their address works. */
const MOST_VERSIONS = 200;

function Versions({ version, newest }: { version: number; newest: number }) {
  const go = useNavigate();
  if (newest === 1) return <>{version}</>;
  const data = Array.from({ length: Math.min(newest, MOST_VERSIONS) }, (_, place) => newest - place).map((number) => ({
    value: String(number),
    label: number === newest ? t("workflows.version.newest", { number }) : String(number),
  }));
  return (
    <NativeSelect
      size="xs"
      className={one.versions}
      aria-label={t("workflows.column.version")}
      value={String(version)}
      data={data}
      onChange={(event) => {
        const wanted = Number(event.currentTarget.value);
        void go({ to: ".", search: { version: wanted === newest ? undefined : wanted } as never, replace: true });
      }}
    />
  );
}

function Inputs({ spec: { inputs } }: { spec: Spec }) {
  if (inputs.length === 0) return <p className={styles.none}>{t("workflows.inputs.none")}</p>;
  return (
    <DataTable
      caption={t("workflows.inputs")}
      rows={inputs}
      keyOf={([name]) => name}
      columns={[
        { title: t("workflows.column.input"), cell: ([name]) => <code>{name}</code> },
        { title: t("workflows.column.type"), cell: ([, { type }]) => typeWords(type) },
        { title: t("workflows.column.description"), cell: ([, { description }]) => description ?? <span className="muted">{t("workflows.undescribed")}</span> },
      ]}
    />
  );
}

function LastRuns({ slug }: { slug: string }) {
  const runs = useRunsOf(slug);
  if (runs.isPending) return <Loading />;
  if (!runs.data) return <Failed error={runs.error} again={() => void runs.refetch()} />;
  if (runs.data.length === 0) return <p className={styles.none}>{t("workflows.runs.none_here")}</p>;
  return (
    <>
      <RunTable runs={runs.data} caption={t("workflows.runs.last")} named={false} />
      <p>
        <Link to="/workflows/runs" search={{ slug } as never}>
          {t("workflows.runs.all")}
        </Link>
      </p>
    </>
  );
}

function Triggers({ slug }: { slug: string }) {
  const triggers = useTriggers();
  if (triggers.isPending) return <Loading />;
  if (!triggers.data) return <Failed error={triggers.error} again={() => void triggers.refetch()} />;
  const own = triggers.data.items.filter((trigger) => trigger.workflow_slug === slug);
  if (own.length === 0) return <p className={styles.none}>{t("workflows.triggers.none_here")}</p>;
  return (
    <ul className={one.triggers}>
      {own.map((trigger) => (
        <li key={trigger.id}>
          <Link to="/workflows/triggers/$id" params={{ id: trigger.id }}>
            {matchWords(trigger)}
          </Link>
          <EnabledTag enabled={trigger.enabled} />
        </li>
      ))}
    </ul>
  );
}
