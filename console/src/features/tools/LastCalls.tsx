/** The last calls of a tool: when, for whom, by what, and how each ended. */

import { Link } from "@tanstack/react-router";

import { usePeople } from "@/api/people";
import { t } from "@/i18n";
import { DataTable } from "@/ui/DataTable";
import { Failed, Loading } from "@/ui/states";
import { Tag, type Tone } from "@/ui/Tag";
import { Time } from "@/ui/Time";
import { actorName } from "@/ui/trail/sentences";

import { CALLERS, callsIn, type Call } from "./calls";
import { useToolEvents } from "./queries";
import styles from "./Tools.module.css";

const MOST = 10;

export function LastCalls({ tool }: { tool: string }) {
  const events = useToolEvents(tool);
  const people = usePeople();
  if (events.isPending) return <Loading />;
  if (!events.data) return <Failed error={events.error} again={() => void events.refetch()} />;
  const calls = callsIn(events.data).slice(0, MOST);
  if (calls.length === 0) return <p className={styles.none}>{t("tools.calls.none")}</p>;
  return (
    <div className={styles.arguments}>
      <DataTable
        caption={t("tools.calls.named", { name: tool })}
        rows={calls}
        keyOf={(call) => call.event.id}
        columns={[
          { title: t("tools.column.when"), cell: ({ event }) => <Time at={event.at} /> },
          { title: t("tools.column.person"), cell: ({ event }) => actorName(event, people.data ?? []) },
          { title: t("tools.column.caller"), cell: ({ caller }) => callerWords(caller) },
          { title: t("tools.column.outcome"), cell: (call) => <Outcome call={call} /> },
        ]}
      />
      <p className={styles.all}>
        <Link to="/settings/team/audit" search={{ target: tool } as never}>
          {t("tools.calls.all")}
        </Link>
      </p>
    </div>
  );
}

function callerWords(caller: string): string {
  const known = CALLERS.find((name) => name === caller);
  return known ? t(`tools.caller.${known}`) : caller;
}

const TONES: Record<Call["end"], Tone> = { ok: "success", refused: "warning", failed: "danger", running: "accent" };

function Outcome({ call: { end, code } }: { call: Call }) {
  return (
    <span className={styles.outcome}>
      <Tag tone={TONES[end]}>{t(`tools.outcome.${end}`)}</Tag>
      {end === "refused" && <code>{code}</code>}
    </span>
  );
}
