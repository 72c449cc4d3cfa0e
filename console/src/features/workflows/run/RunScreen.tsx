/** One run: timeline of its steps, inputs and outputs; facts in the inspector. */

import { Alert } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { IconAlertTriangle, IconClock, IconLock } from "@tabler/icons-react";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { number, t } from "@/i18n";
import { useBrand } from "@/theme/brand";
import { Copyable } from "@/ui/Copyable";
import { Facts, type Fact } from "@/ui/Facts";
import { useNames } from "@/ui/names";
import { MissingItem } from "@/ui/MissingItem";
import { ItemSkeleton } from "@/ui/skeleton/ScreenSkeleton";
import { Skeleton } from "@/ui/skeleton/Skeleton";
import { Time } from "@/ui/Time";
import { Presence } from "@/ui/presence/Presence";
import { ItemFrame } from "@/ui/topbar/ItemFrame";
import { ArtifactCard } from "@/ui/turns/ArtifactCard";
import { ReferenceLink } from "@/ui/turns/Reference";

import type { RunDetail, RunOutline } from "../api";
import { Part } from "../Part";
import { useRun } from "../queries";
import { isFields } from "../spec/shapes";
import { StateTag } from "../StateTag";
import { faultWords, tookWords } from "../words";
import styles from "./Run.module.css";
import { RunActions } from "./RunActions";
import { Steps } from "./Steps";
import { Value } from "./Value";
import { artifactsOf, idOf } from "./values";

export default function RunScreen() {
  const { id } = useParams({ strict: false }) as { id: string };
  const run = useRun(id);
  // Keep showing loaded data: the next poll makes up for a failed one.
  if (run.data) return run.data.view === "full" ? <OpenRun key={id} run={run.data} /> : <OutlinedRun run={run.data} />;
  if (run.isPending) return <Waiting />;
  return <MissingItem error={run.error} again={() => void run.refetch()} list="/workflows/runs" title={t("workflows.runs")} />;
}

function Waiting() {
  return (
    <ItemSkeleton>
      <div className={styles.body}>
        <Skeleton shape="blocks" rows={3} />
      </div>
    </ItemSkeleton>
  );
}

const titleOf = ({ title }: RunOutline | RunDetail): string => t("workflows.run.named_title", { workflow: title });

function OutlinedRun({ run }: { run: RunOutline }) {
  return (
    <RunFrame run={run} facts={timesOf(run)} state={<StateTag state={run.state} />}>
      <Alert color="gray" role="note" icon={<IconLock aria-hidden size={18} />} className={styles.alert} title={t("workflows.outline")}>
        {t("workflows.outline.words")}
      </Alert>
    </RunFrame>
  );
}

function OpenRun({ run }: { run: RunDetail }) {
  const made = artifactsOf(run);
  return (
    <RunFrame
      run={run}
      facts={useFacts(run)}
      state={<StateTag state={run.state} waiting={run.waiting} />}
      who={<Presence kind="run" id={run.id} editing={false} />}
    >
      <Standing run={run} />
      {made.length > 0 && (
        <Part title={t("workflows.made")}>
          <ul className={styles.made}>
            {made.map((artifact) => (
              <li key={idOf(artifact)}>
                <ArtifactCard artifact={artifact} />
              </li>
            ))}
          </ul>
        </Part>
      )}
      <Part title={t("workflows.steps")}>
        <Steps run={run} />
      </Part>
      <Part title={t("workflows.inputs")}>
        {isFields(run.input) && Object.keys(run.input).length === 0 ? <p className="muted">{t("workflows.inputs.none")}</p> : <Value label={t("workflows.inputs.values")} value={run.input} />}
      </Part>
      {run.objects.length > 0 && (
        <Part title={t("workflows.objects")}>
          <ul className={styles.objects}>
            {run.objects.map((id) => (
              <li key={id}>
                <ReferenceLink part={{ type: "object", object_id: id }} />
              </li>
            ))}
          </ul>
        </Part>
      )}
    </RunFrame>
  );
}

interface FrameProps {
  run: RunDetail | RunOutline;
  facts: readonly Fact[];
  state: ReactNode;
  /** Only for those who can see the run in full. */
  who?: ReactNode;
  children: ReactNode;
}

function RunFrame({ run, facts, state, who, children }: FrameProps) {
  const title = titleOf(run);
  useDocumentTitle(`${title} · ${useBrand().title}`);
  const all: Fact[] = [...facts, [t("workflows.fact.run_id"), <Copyable key="id" value={run.id} label={t("workflows.fact.run_id")} />]];
  return (
    <ItemFrame
      name="run"
      label={t("workflows.run.toolbar")}
      crumbs={[
        { name: t("workflows.title"), to: "/workflows" },
        { name: t("workflows.runs"), to: "/workflows/runs" },
      ]}
      here={title}
      heading="h1"
      state={<span role="status">{state}</span>}
      who={who}
      actions={<RunActions run={run} />}
      opensAtFirst
      tabs={[{ name: "details", title: t("inspector.title"), content: () => <Facts facts={all} /> }]}
    >
      <div className={styles.body}>{children}</div>
    </ItemFrame>
  );
}

/** Why it waits, or why it failed and what to do. */
function Standing({ run }: { run: RunDetail }) {
  if (run.state === "running" && run.waiting) {
    return (
      <Alert color="gray" role="note" className={styles.alert} icon={<IconClock aria-hidden size={18} />} title={t("workflows.waiting")}>
        {t("workflows.waiting.words")}
      </Alert>
    );
  }
  if (!run.error) return null;
  const { step } = run.error;
  return (
    <Alert color="danger" role="alert" className={styles.alert} icon={<IconAlertTriangle aria-hidden size={18} />} title={step ? t("workflows.failed.at", { step }) : t("workflows.failed")}>
      <p className={styles.line}>{faultWords(run.error)}</p>
      <p className={styles.line}>{t(run.error.code === "max_steps_exceeded" ? "workflows.failed.max_steps" : "workflows.failed.words")}</p>
    </Alert>
  );
}

/** Which workflow, and when: what everybody sees. */
function timesOf(run: RunDetail | RunOutline): Fact[] {
  const facts: (Fact | false)[] = [
    [
      t("workflows.column.workflow"),
      <Link key="workflow" to="/workflows/spec/$slug" params={{ slug: run.slug }} search={{ version: run.version } as never}>
        {t("workflows.run.of", { workflow: run.title, version: run.version })}
      </Link>,
    ],
    [t("workflows.fact.started"), <Time key="at" at={run.created_at} />],
    run.finished_at !== null && [t("workflows.column.took"), tookWords(run.created_at, run.finished_at)],
  ];
  return facts.filter((fact) => fact !== false);
}

function useFacts(run: RunDetail): Fact[] {
  const names = useNames();
  const facts: (Fact | false)[] = [
    ...timesOf(run),
    [t("workflows.column.by"), names.ofOrYou(run.owner)],
    [t("workflows.fact.used"), t("workflows.fact.used.words", { used: run.steps_used, most: run.max_steps })],
    [t("workflows.fact.tokens"), run.usage.requests > 0 ? t("workflows.fact.tokens.words", { tokens: number(run.usage.tokens), requests: run.usage.requests }) : t("workflows.fact.tokens.none")],
    run.trigger_id !== null && [t("workflows.fact.trigger"), <Link key="trigger" to="/workflows/triggers/$id" params={{ id: run.trigger_id }}>{t("workflows.fact.trigger.open")}</Link>],
    run.resumed_from !== null && [t("workflows.fact.resumed"), <Link key="resumed" to="/workflows/runs/$id" params={{ id: run.resumed_from }}>{t("workflows.fact.resumed.open")}</Link>],
  ];
  return facts.filter((fact) => fact !== false);
}
