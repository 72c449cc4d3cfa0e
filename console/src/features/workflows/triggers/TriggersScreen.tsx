/** Triggers that start workflows when files are uploaded, the budget they spend, and a test. */

import { Alert, Button } from "@mantine/core";
import { IconAlertTriangle, IconPlus, IconUpload } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { DataTable } from "@/ui/DataTable";
import { useNames } from "@/ui/names";
import { Empty, Failed, Loading } from "@/ui/states";

import type { TriggerItem } from "../api";
import { Area } from "../Area";
import styles from "../Area.module.css";
import { Part } from "../Part";
import { useTriggers } from "../queries";
import { addingTrigger } from "./adding";
import { DryTest } from "./DryTest";
import { EnabledTag } from "./EnabledTag";
import { TriggerActions } from "./TriggerActions";
import { TriggerDialog } from "./TriggerDialog";
import { WorkflowLink } from "./WorkflowLink";
import { budgetWords, isSpent, matchWords } from "./words";

export default function TriggersScreen() {
  const { can } = useSession();
  const mayWrite = can("workflows:write");
  return (
    <Area title={t("workflows.triggers")} intro={t("workflows.triggers.intro")} actions={mayWrite && <New />}>
      <Triggers />
      {addingTrigger.useOpened() && mayWrite && <TriggerDialog onClose={addingTrigger.close} />}
    </Area>
  );
}

function New() {
  return (
    <Button leftSection={<IconPlus aria-hidden size={16} />} onClick={addingTrigger.open}>
      {t("workflows.trigger.new")}
    </Button>
  );
}

function Triggers() {
  const triggers = useTriggers();
  const { can } = useSession();
  if (triggers.isPending) return <Loading />;
  if (!triggers.data) return <Failed error={triggers.error} again={() => void triggers.refetch()} />;
  const { items } = triggers.data;
  if (items.length === 0) {
    return (
      <Empty title={t("workflows.triggers.none")} icon={IconUpload} action={can("workflows:write") && <New />}>
        {t("workflows.triggers.none.words")}
      </Empty>
    );
  }
  return (
    <>
      <Budget trigger={items[0]} />
      <Table triggers={items} />
      <Part title={t("workflows.try_key")} intro={t("workflows.try_key.intro")}>
        <DryTest />
      </Part>
    </>
  );
}

/** The same for all: it is the team's. */
function Budget({ trigger }: { trigger?: TriggerItem }) {
  if (!trigger) return null;
  const { ai_remaining: remaining } = trigger;
  if (isSpent(remaining)) {
    return (
      <Alert color="warning" role="note" icon={<IconAlertTriangle aria-hidden size={18} />} title={t("workflows.budget.spent")}>
        {t("workflows.budget.spent.words")} <Link to="/settings/team/usage">{t("quotas.refused.usage")}</Link>
      </Alert>
    );
  }
  return <p>{t("workflows.budget", { remaining: budgetWords(remaining) })}</p>;
}

function Table({ triggers }: { triggers: readonly TriggerItem[] }) {
  const names = useNames();
  const { can } = useSession();
  const [editing, setEditing] = useState<TriggerItem | null>(null);
  return (
    <>
      <DataTable
        caption={t("workflows.triggers")}
        rows={triggers}
        keyOf={({ id }) => id}
        columns={[
          { title: t("workflows.column.trigger"), cell: (trigger) => <Name trigger={trigger} /> },
          {
            title: t("workflows.column.workflow"),
            cell: ({ workflow_slug: slug }) => <WorkflowLink slug={slug} />,
          },
          { title: t("workflows.column.state"), cell: ({ enabled }) => <EnabledTag enabled={enabled} /> },
          { title: t("workflows.column.author"), cell: ({ author }) => names.ofOrYou(author) },
        ]}
        actions={can("workflows:write") ? (trigger) => <TriggerActions trigger={trigger} onEdit={() => setEditing(trigger)} /> : undefined}
      />
      {editing && <TriggerDialog trigger={editing} onClose={() => setEditing(null)} />}
    </>
  );
}

function Name({ trigger }: { trigger: TriggerItem }) {
  return (
    <span className={styles.lines}>
      <Link to="/workflows/triggers/$id" params={{ id: trigger.id }}>
        {matchWords(trigger)}
      </Link>
      {trigger.fire_on_derived && <span className={styles.below}>{t("workflows.trigger.derived")}</span>}
    </span>
  );
}
