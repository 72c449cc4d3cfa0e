/** One trigger: what it does, and its history. */

import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { DataTable } from "@/ui/DataTable";
import { Endless } from "@/ui/endless";
import { Facts } from "@/ui/Facts";
import { useNames } from "@/ui/names";
import { Snippet } from "@/ui/Snippet";
import { MissingItem } from "@/ui/MissingItem";
import { Loading } from "@/ui/states";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";
import { ReferenceLink } from "@/ui/turns/Reference";

import type { Fire, FireSummary, TriggerDetail } from "../api";
import { Item } from "../Area";
import styles from "../Area.module.css";
import { Part } from "../Part";
import { useTrigger } from "../queries";
import { reasonWords } from "../words";
import { EnabledTag } from "./EnabledTag";
import { TriggerActions } from "./TriggerActions";
import { TriggerDialog } from "./TriggerDialog";
import { WorkflowLink } from "./WorkflowLink";
import { budgetWords, matchWords } from "./words";

export default function TriggerScreen() {
  const { id } = useParams({ strict: false }) as { id: string };
  const trigger = useTrigger(id);
  if (!trigger.data) {
    return (
      <Item back="/workflows/triggers" title={t("workflows.trigger")}>
        {trigger.isPending ? <Loading /> : <MissingItem error={trigger.error} again={() => void trigger.refetch()} list="/workflows/triggers" title={t("workflows.triggers")} />}
      </Item>
    );
  }
  return (
    <OpenTrigger key={id} trigger={trigger.data}>
      <Endless query={trigger} />
    </OpenTrigger>
  );
}

function OpenTrigger({ trigger, children }: { trigger: TriggerDetail; children: React.ReactNode }) {
  const { can } = useSession();
  const names = useNames();
  const go = useNavigate();
  const [editing, setEditing] = useState(false);
  const { workflow_slug: slug, input } = trigger;
  return (
    <Item
      back="/workflows/triggers"
      title={matchWords(trigger)}
      actions={can("workflows:write") && <TriggerActions trigger={trigger} onEdit={() => setEditing(true)} onDeleted={() => void go({ to: "/workflows/triggers" })} />}
    >
      <Facts
        facts={[
          [t("workflows.column.workflow"), <WorkflowLink key="workflow" slug={slug} />],
          [t("workflows.column.state"), <EnabledTag key="state" enabled={trigger.enabled} />],
          [t("workflows.fact.derived"), t(trigger.fire_on_derived ? "workflows.fact.derived.yes" : "workflows.fact.derived.no")],
          [t("workflows.column.author"), names.ofOrYou(trigger.author)],
          [t("workflows.fact.budget"), budgetWords(trigger.ai_remaining)],
        ]}
      />
      {Object.keys(input).length > 0 && (
        <Part title={t("workflows.inputs")}>
          <Snippet label={t("workflows.inputs.values")} text={JSON.stringify(input, null, 2)} />
        </Part>
      )}
      <Part title={t("workflows.history")} intro={t("workflows.history.intro")}>
        {trigger.history.length > 0 ? <History fires={trigger.history} /> : <p className={styles.none}>{t("workflows.history.none")}</p>}
        {children}
      </Part>
      {editing && <TriggerDialog trigger={trigger} onClose={() => setEditing(false)} />}
    </Item>
  );
}

function History({ fires }: { fires: readonly (Fire | FireSummary)[] }) {
  return (
    <DataTable
      caption={t("workflows.history")}
      rows={fires.map((fire, place) => ({ fire, key: `${fire.at} ${place}` }))}
      keyOf={({ key }) => key}
      columns={[
        { title: t("workflows.column.file"), cell: ({ fire }) => <Uploaded fire={fire} /> },
        { title: t("workflows.column.outcome"), cell: ({ fire }) => <Outcome fire={fire} /> },
        { title: t("workflows.column.when"), cell: ({ fire }) => <Time at={fire.at} /> },
      ]}
    />
  );
}

function Uploaded({ fire }: { fire: Fire | FireSummary }) {
  if (fire.view === "outline") return <span className="muted">{t("workflows.history.hidden")}</span>;
  return (
    <span className={styles.uploaded}>
      <ReferenceLink part={{ type: "object", object_id: fire.object_id, version: fire.version }} /> {t("workflows.history.version", { version: fire.version })}
    </span>
  );
}

function Outcome({ fire }: { fire: Fire | FireSummary }) {
  if (fire.view === "full" && fire.run_id) {
    return (
      <Link to="/workflows/runs/$id" params={{ id: fire.run_id }}>
        {t("workflows.history.run")}
      </Link>
    );
  }
  if (!fire.reason) return <Tag tone="success">{t("workflows.history.started")}</Tag>;
  return <>{reasonWords({ ...fire, code: fire.reason })}</>;
}
