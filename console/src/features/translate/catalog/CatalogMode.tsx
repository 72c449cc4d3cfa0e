/** Translates a JSON catalog: pasted, dropped or chosen; the result has the same structure. */

import { useDebouncedValue } from "@mantine/hooks";
import { useMemo } from "react";

import { t } from "@/i18n";
import { Fault } from "@/ui/forms";
import { Loading } from "@/ui/states";

import { useGo } from "../address";
import { Asking, Blocked, Simulated } from "../Asking";
import { parseCatalog } from "../catalog";
import { Checks, Details, Hits } from "../Details";
import { MarkedField } from "../MarkedText";
import { catalogOutcome } from "../outcomes";
import { Panes } from "../Panes";
import { translateCatalog, type Input } from "../queries";
import { useRunning } from "../running";
import styles from "../Translate.module.css";
import type { Work } from "../work";
import { CatalogResult } from "./CatalogResult";
import { FileField } from "./FileField";
import { Download } from "./Download";

const PAUSE = 700;

export function CatalogMode({ work }: { work: Work }) {
  const { draft, languages, catalog: outcome, change, changeDraft } = work;
  const go = useGo();
  const running = useRunning();
  const [paused] = useDebouncedValue(draft.catalog, PAUSE);
  const { catalog, fault } = useMemo(() => (paused.trim() ? parseCatalog(paused) : {}), [paused]);
  const input = useMemo<Input | null>(() => (catalog ? { catalog: catalog.texts } : null), [catalog]);
  const isCurrent = outcome !== null && outcome.asked === draft.catalog;
  const detected = isCurrent && !draft.source ? outcome.source : null;
  const from = draft.source || detected;
  const disabled = !languages || !draft.catalog.trim() || (fault !== undefined && paused === draft.catalog);

  async function ask(): Promise<void> {
    const parsed = parseCatalog(draft.catalog).catalog;
    if (disabled || running.busy || !parsed) return;
    await running.run(async (signal) => {
      const answered = await translateCatalog(parsed.texts, languages, signal);
      change({ catalog: catalogOutcome(draft.catalog, parsed, answered) });
      go({ mode: "catalog" });
    });
  }

  return (
    <>
      <Panes
        work={work}
        detected={detected}
        onSwap={from && draft.target ? () => changeDraft({ source: draft.target, target: from }) : undefined}
        source={
          <FileField onRead={(raw) => changeDraft({ catalog: raw })}>
            <MarkedField
              mono
              label={t("translate.catalog")}
              placeholder={t("translate.catalog.placeholder")}
              value={draft.catalog}
              terms={[]}
              onChange={(raw) => changeDraft({ catalog: raw })}
              onSubmit={() => void ask()}
            />
          </FileField>
        }
        sourceFoot={
          <>
            <span className={fault ? styles.bad : "muted"} role={fault ? "alert" : undefined}>
              {fault ?? (catalog && countWords(Object.keys(catalog.texts).length, catalog.others))}
            </span>
            <Asking input={input} languages={languages} running={running} disabled={disabled} onAsk={() => void ask()} />
          </>
        }
        result={
          outcome ? (
            <CatalogResult outcome={outcome} busy={running.busy} />
          ) : (
            <div className={styles.nothing}>
              {running.busy ? <Loading what={t("translate.result.working")} /> : <p className="muted">{t("translate.result.nothing")}</p>}
            </div>
          )
        }
        resultFoot={
          <>
            <span className={styles.facts}>
              {outcome?.truncated && <b>{t("translate.result.truncated")}</b>}
              {outcome && !isCurrent && <b>{t("translate.result.old")}</b>}
              {outcome && <span className="muted">{t("translate.cost", { tokens: outcome.tokens })}</span>}
              <Simulated />
            </span>
            {outcome && <Download outcome={outcome} />}
          </>
        }
      />
      <p className="sr-only" role="status">
        {outcome && isCurrent && !running.busy ? t("translate.done", { checks: outcome.checks.length }) : ""}
      </p>
      <Fault fault={running.fault} />
      {!running.fault && <Blocked input={input} languages={languages} />}
      {outcome && (
        <Details>
          <Checks checks={outcome.checks} listed={false} />
          <Hits hits={outcome.hits} />
        </Details>
      )}
    </>
  );
}

function countWords(count: number, others: number): string {
  return [t("translate.catalog.count", { count }), others > 0 ? t("translate.catalog.others", { count: others }) : ""].filter(Boolean).join(", ");
}
