/** Translates a text; checks and glossary terms are marked in both texts. */

import { Button, CopyButton } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useMemo, useState } from "react";

import { number, t } from "@/i18n";
import { Fault } from "@/ui/forms";
import { Loading } from "@/ui/states";

import { useGo } from "../address";
import { Asking, Blocked, Simulated } from "../Asking";
import { Checks, Details, Hits } from "../Details";
import { MarkedField, MarkedResult } from "../MarkedText";
import { textOutcome, type TextOutcome } from "../outcomes";
import { Panes } from "../Panes";
import { translateText, type FailedCheck, type Input } from "../queries";
import { useRunning } from "../running";
import styles from "../Translate.module.css";
import type { Work } from "../work";
import { marksOf, NO_MARKS } from "./marking";

const PAUSE = 700;
/** As the server limits it. */
const LONGEST = 100_000;

export function TextMode({ work }: { work: Work }) {
  const { draft, languages, text: outcome, change, changeDraft } = work;
  const go = useGo();
  const running = useRunning();
  const [shown, setShown] = useState<FailedCheck | undefined>();
  const [paused] = useDebouncedValue(draft.text, PAUSE);
  const input = useMemo<Input | null>(() => (paused.trim() && paused.length <= LONGEST ? { text: paused } : null), [paused]);
  const isCurrent = outcome !== null && outcome.asked === draft.text;
  const detected = isCurrent && !draft.source ? outcome.source : null;
  const from = draft.source || detected;
  const tooLong = draft.text.length > LONGEST;
  const disabled = !languages || !draft.text.trim() || tooLong;
  const marks = useMemo(() => (outcome ? marksOf(outcome, shown) : NO_MARKS), [outcome, shown]);

  async function ask(): Promise<void> {
    if (disabled || running.busy) return;
    await running.run(async (signal) => {
      const answered = await translateText(draft.text, languages, signal);
      setShown(undefined);
      change({ text: textOutcome(draft.text, answered) });
      go({});
    });
  }

  /** The translation becomes the text; the text itself stays in the history. */
  function swap(from: string): void {
    const text = isCurrent ? outcome.translation : draft.text;
    setShown(undefined);
    change({ draft: { ...draft, text, source: draft.target, target: from }, text: isCurrent ? null : outcome });
  }

  return (
    <>
      <Panes
        work={work}
        detected={detected}
        onSwap={from && draft.target ? () => swap(from) : undefined}
        source={
          <MarkedField
            label={t("translate.text")}
            placeholder={t("translate.text.placeholder")}
            value={draft.text}
            lang={draft.source || undefined}
            {...(isCurrent ? marks.source : NO_MARKS.source)}
            onChange={(text) => changeDraft({ text })}
            onSubmit={() => void ask()}
          />
        }
        sourceFoot={
          <>
            <span className={tooLong ? styles.bad : "muted"}>
              {tooLong ? t("translate.text.long", { count: number(draft.text.length), most: number(LONGEST) }) : t("translate.text.count", { count: draft.text.length })}
            </span>
            <Asking input={input} languages={languages} running={running} disabled={disabled} onAsk={() => void ask()} />
          </>
        }
        result={<Result outcome={outcome} busy={running.busy} marks={marks.result} />}
        resultFoot={<ResultFoot outcome={outcome} isCurrent={isCurrent} />}
      />
      <p className="sr-only" role="status">
        {outcome && isCurrent && !running.busy ? t("translate.done", { checks: outcome.checks.length }) : ""}
      </p>
      <Fault fault={running.fault} />
      {!running.fault && <Blocked input={input} languages={languages} />}
      {outcome && (
        <Details>
          <Checks checks={outcome.checks} shown={shown} onShow={(check) => setShown(check === shown ? undefined : check)} />
          <Hits hits={outcome.hits} />
        </Details>
      )}
    </>
  );
}

function Result({ outcome, busy, marks }: { outcome: TextOutcome | null; busy: boolean; marks: typeof NO_MARKS.result }) {
  if (outcome) return <MarkedResult label={t("translate.result")} text={outcome.translation} lang={outcome.target} busy={busy} {...marks} />;
  return <div className={styles.nothing}>{busy ? <Loading what={t("translate.result.working")} /> : <p className="muted">{t("translate.result.nothing")}</p>}</div>;
}

function ResultFoot({ outcome, isCurrent }: { outcome: TextOutcome | null; isCurrent: boolean }) {
  if (!outcome) return <Simulated />;
  const facts = [
    t("translate.cost", { tokens: outcome.tokens }),
    outcome.memoryHits > 0 ? t("translate.memory", { count: outcome.memoryHits }) : "",
  ];
  return (
    <>
      <span className={styles.facts}>
        {outcome.truncated && <b>{t("translate.result.truncated")}</b>}
        {!isCurrent && <b>{t("translate.result.old")}</b>}
        <span className="muted">{facts.filter(Boolean).join(" · ")}</span>
        <Simulated />
      </span>
      <CopyButton value={outcome.translation}>
        {({ copied, copy }) => (
          <Button variant="default" leftSection={copied ? <IconCheck aria-hidden size={15} /> : <IconCopy aria-hidden size={15} />} onClick={copy}>
            {copied ? t("action.copied") : t("action.copy")}
          </Button>
        )}
      </CopyButton>
    </>
  );
}
