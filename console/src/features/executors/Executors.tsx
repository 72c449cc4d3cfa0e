/** Executor table with live health; operators can add and retire. */

import { Button } from "@mantine/core";
import { IconCpu } from "@tabler/icons-react";
import { useState } from "react";

import { LOCAL, useExecutors, type Executor } from "@/api/executors";
import { t } from "@/i18n";
import { useSession } from "@/session";
import { DataTable } from "@/ui/DataTable";
import { Empty, Failed, Loading } from "@/ui/states";

import { columnsFor } from "./columns";
import styles from "./Executors.module.css";
import { setting } from "./openings";
import type { Plane } from "./queries";
import { RetireDialog } from "./RetireDialog";
import { SettingUp } from "./SettingUp";

interface Props {
  plane: Plane;
  /** Whether it belongs on this screen. */
  concerns: (executor: Executor) => boolean;
  whose: (orgId: string) => string;
}

export function Executors({ plane, concerns, whose }: Props) {
  const { operator, can } = useSession();
  const executors = useExecutors({ live: true });
  const [leaving, setLeaving] = useState<Executor | null>(null);
  if (executors.isPending) return <Loading />;
  if (!executors.data) return <Failed error={executors.error} again={() => void executors.refetch()} />;
  const rows = executors.data.filter(concerns);
  const mayRetire = operator && can("instance:manage");
  return (
    <>
      <DataTable
        caption={t("executors.title")}
        columns={columnsFor(whose)}
        rows={rows}
        keyOf={(executor) => executor.id}
        actions={mayRetire ? (executor) => executor.created_at !== null && <RetireButton executor={executor} onPress={() => setLeaving(executor)} /> : undefined}
      />
      {rows.every((executor) => executor.id === LOCAL) ? <Alone /> : <Words mayRetire={mayRetire} />}
      {leaving && <RetireDialog executor={leaving} onClose={() => setLeaving(null)} />}
      <SettingUp plane={plane} />
    </>
  );
}

function RetireButton({ executor, onPress }: { executor: Executor; onPress: () => void }) {
  return (
    <Button variant="default" size="xs" aria-label={t("executors.retire.named", { name: executor.name })} onClick={onPress}>
      {t("executors.retire")}
    </Button>
  );
}

function Words({ mayRetire }: { mayRetire: boolean }) {
  return (
    <p className={`muted ${styles.words}`}>
      {t("executors.words")} {!mayRetire && t("executors.words.retire")}
    </p>
  );
}

function Alone() {
  return (
    <Empty
      title={t("executors.none")}
      icon={IconCpu}
      action={
        <Button variant="default" onClick={setting.open}>
          {t("executors.new")}
        </Button>
      }
    >
      {t("executors.none.words")}
    </Empty>
  );
}
