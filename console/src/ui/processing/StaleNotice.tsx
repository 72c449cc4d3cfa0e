/** Says what is out of date and what changed, and makes it again. */

import { Button } from "@mantine/core";
import { IconHistoryToggle, IconRefresh } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { placeOfObject } from "@/ui/documents";
import { Fault } from "@/ui/forms";

import styles from "./Processing.module.css";
import { nameOfKey } from "./provenance";
import { useMayRun, useRefresh, useRuns } from "./queries";
import { repeatable, stalenessOf, type Staleness } from "./refreshing";
import type { Processing, TextChanges } from "./shapes";

export function StaleNotice({ processing }: { processing: Processing }) {
  const stale = stalenessOf(processing);
  if (stale.sources.length === 0) return null;
  return (
    <section className={styles.stale} aria-label={t("processing.stale")}>
      <IconHistoryToggle aria-hidden size={20} />
      <div className={styles.told}>
        <h3>{stale.derived.length > 0 ? t("processing.stale.derived", { count: stale.derived.length }) : t("processing.stale.this")}</h3>
        {stale.sources.map((source) => (
          <Changed key={`${source.id} ${source.from}`} source={source} />
        ))}
        <Refresh stale={stale} />
      </div>
    </section>
  );
}

function Changed({ source }: { source: Staleness["sources"][number] }) {
  const { id, from, to, changes } = source;
  return (
    <div>
      <p>
        <Link {...placeOfObject(id)}>
          {nameOfKey(source)}
        </Link>{" "}
        {t("processing.changed", { from, to })} {changes && t("processing.changes", { added: changes.added, removed: changes.removed })}
      </p>
      {changes && changes.passages.length > 0 && <Passages changes={changes} />}
    </div>
  );
}

function Passages({ changes: { passages, complete } }: { changes: TextChanges }) {
  return (
    <details className={styles.passages}>
      <summary>{t("processing.changes.show")}</summary>
      <ul>
        {passages.map(({ line, before, after }) => (
          <li key={line}>
            <span className={styles.line}>{t("processing.changes.line", { line })}</span>
            {before && <del>{before}</del>}
            {after && <ins>{after}</ins>}
          </li>
        ))}
      </ul>
      {!complete && <p className="muted">{t("processing.changes.cut")}</p>}
    </details>
  );
}

function Refresh({ stale }: { stale: Staleness }) {
  const may = useMayRun();
  const { isPending, runs } = useRuns(stale.runs);
  const refresh = useRefresh();
  const again = repeatable(runs);
  const running = runs.find(({ state }) => state === "running") ?? refresh.data?.[0];
  if (!may.start) return <p className="muted">{t("processing.refresh.ask")}</p>;
  if (refresh.isSuccess || (running && again.length === 0)) {
    return (
      <p role="status">
        {t("processing.refresh.started")}{" "}
        {running && (
          <Link to="/workflows/runs/$id" params={{ id: running.id }}>
            {t("processing.run.show")}
          </Link>
        )}
      </p>
    );
  }
  if (!isPending && again.length === 0) return <ByHand />;
  return (
    <>
      <Fault fault={refresh.error} />
      <Button
        size="compact-md"
        className={styles.refresh}
        leftSection={<IconRefresh aria-hidden size={15} />}
        disabled={isPending}
        loading={refresh.isPending}
        onClick={() => refresh.mutate(again)}
      >
        {t("processing.refresh")}
      </Button>
      <p className="muted">{t("processing.refresh.words")}</p>
    </>
  );
}

/** The workflow that ships with the pipeline; which one it was can't be read. */
const WORKFLOW = "process-upload";

/** The run that made it can't be read, or is gone. */
function ByHand() {
  return (
    <p className="muted">
      {t("processing.refresh.by_hand")}{" "}
      <Link to="/workflows/spec/$slug/run" params={{ slug: WORKFLOW }}>
        {t("processing.refresh.by_hand.link", { workflow: WORKFLOW })}
      </Link>
    </p>
  );
}
