/** Timeline of a run: its steps in order, with state, time, attempts and tokens; each opens to what it was given and what it gave. */

import { useInterval } from "@mantine/hooks";
import { IconArrowsSplit2, IconChevronRight, IconRepeat, IconTool, type Icon } from "@tabler/icons-react";
import { useEffect, useMemo, useState } from "react";

import { number, t } from "@/i18n";
import { Progress } from "@/ui/Progress";

import type { RunDetail, RunStep, StepItem } from "../api";
import { specOf, type SpecStep } from "../spec/shapes";
import { conditionWords, overWords } from "../spec/words";
import { StateTag } from "../StateTag";
import { faultWords, tookWords } from "../words";
import { Arguments } from "./Arguments";
import { itemAt } from "./given";
import styles from "./Run.module.css";
import { JobLink, Value } from "./Value";
import { outcomeOf, shortOf } from "./values";

const PICTURES: Record<string, Icon> = { tool: IconTool, map: IconRepeat, choice: IconArrowsSplit2 };

export function Steps({ run }: { run: RunDetail }) {
  const { steps } = run;
  const specs = useMemo(() => new Map(specOf(run.spec)?.steps.map((one) => [one.id, one])), [run.spec]);
  const now = useNow(steps.some(({ state }) => state === "running"));
  return (
    <ol className={styles.steps}>
      {steps.map((step) => (
        <li key={step.id} data-state={step.state}>
          <Step run={run} spec={specs.get(step.id)} step={step} now={now} />
        </li>
      ))}
    </ol>
  );
}

const TICK_MS = 1_000;

/** The time, which goes on while something runs. */
function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  const { start, stop } = useInterval(() => setNow(Date.now()), TICK_MS);
  useEffect(() => {
    if (isRunning) start();
    return stop;
  }, [isRunning, start, stop]);
  return now;
}

interface Props {
  run: RunDetail;
  /** As it was when the run began. */
  spec?: SpecStep;
  step: RunStep;
}

function Step({ run, spec, step, now }: Props & { now: number }) {
  const Picture = PICTURES[step.kind] ?? IconTool;
  const isBegun = step.state !== "pending" && step.state !== "skipped";
  const head = (
    <>
      <Picture aria-hidden size={15} />
      <b>{step.id}</b>
      {step.tool && <code className={styles.tool}>{step.tool}</code>}
      <span className={styles.state}>
        <StateTag state={step.state} />
      </span>
      <span className={styles.meta}>{metaWords(step, now)}</span>
    </>
  );
  if (!isBegun) return <div className={styles.head}>{head}</div>;
  return (
    <details className={styles.step} open={step.state === "failed" || undefined}>
      <summary className={styles.head}>
        <IconChevronRight aria-hidden size={14} className={styles.chevron} />
        {head}
        {step.kind === "map" && step.total > 0 && step.state === "running" && (
          <span className={styles.progress}>
            <Progress label={t("workflows.step.progress", { step: step.id })} share={step.succeeded / step.total} />
          </span>
        )}
      </summary>
      <div className={styles.inside}>
        {step.error && <p className={styles.fault}>{faultWords(step.error)}</p>}
        {step.kind === "map" ? <Items run={run} spec={spec} step={step} /> : <Single run={run} spec={spec} step={step} />}
      </div>
    </details>
  );
}

/** `12 seconds · 2 attempts · 340 tokens`. */
function metaWords(step: RunStep, now: number): string {
  const attempts = Math.max(0, ...step.items.map((item) => item.attempt));
  return [
    step.kind === "map" && step.total > 0 && t("workflows.step.items", { done: step.succeeded, total: step.total }),
    step.started_at && tookWords(step.started_at, step.finished_at, now),
    attempts > 1 && t("workflows.step.attempts", { count: attempts }),
    step.usage.tokens > 0 && t("workflows.step.tokens", { count: number(step.usage.tokens) }),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** A tool or a choice: one job. */
function Single({ run, spec, step }: Props) {
  const job = step.items[0]?.job_id;
  return (
    <>
      {spec?.kind === "tool" && <Arguments run={run} given={spec.given} />}
      {spec?.kind === "choice" && <p className="muted">{t("workflows.graph.if", { condition: conditionWords(spec.when) })}</p>}
      {step.state === "succeeded" && step.kind === "choice" ? <p>{t("workflows.step.chose", { way: wayOf(step) })}</p> : null}
      {step.state === "succeeded" && step.kind === "tool" && <Value label={t("workflows.step.output", { step: step.id })} value={outcomeOf(step)} jobId={job} />}
      {job && (
        <p className={styles.job}>
          <JobLink id={job}>{t("workflows.job")}</JobLink>
        </p>
      )}
    </>
  );
}

const wayOf = (step: RunStep): string => (outcomeOf(step) === true ? "yes" : outcomeOf(step) === false ? "no" : "other");

function Items({ run, spec, step }: Props) {
  const left = step.total - step.items.length;
  if (step.total === 0) return <p className="muted">{t("workflows.step.no_items")}</p>;
  return (
    <>
      {spec?.kind === "map" && <p className="muted">{t("workflows.graph.each", { list: overWords(spec.over) })}</p>}
      <ol className={styles.items}>
        {step.items.map((item) => (
          <li key={item.index}>
            <Entry run={run} spec={spec} step={step} item={item} />
          </li>
        ))}
      </ol>
      {left > 0 && <p className="muted">{t("workflows.step.more_items", { count: left })}</p>}
    </>
  );
}

/** Of what an item is, beside its number. */
const LONGEST = 80;

function Entry({ run, spec, step, item }: Props & { item: StepItem }) {
  const [isOpen, setOpen] = useState(false);
  const known = useMemo(() => (spec ? itemAt(spec, run, item.index) : null), [spec, run, item.index]);
  return (
    <details className={styles.item} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <IconChevronRight aria-hidden size={13} className={styles.chevron} />
        <span>{t("workflows.item", { number: item.index + 1 })}</span>
        {known && <span className={styles.what}>{shortOf(known.value, LONGEST)}</span>}
        <StateTag state={item.state} />
        {item.attempt > 1 && <span className={styles.meta}>{t("workflows.step.attempts", { count: item.attempt })}</span>}
        {item.error && <span className={styles.short}>{faultWords(item.error)}</span>}
      </summary>
      <div className={styles.inside}>
        {isOpen && spec?.kind === "map" && <Arguments run={run} given={spec.given} place={{ item: known, index: item.index }} />}
        {item.error && <p className={styles.fault}>{faultWords(item.error)}</p>}
        {item.state === "succeeded" && <Value label={t("workflows.item.output", { step: step.id, number: item.index + 1 })} value={item.result} jobId={item.job_id} />}
        {item.job_id && (
          <p className={styles.job}>
            <JobLink id={item.job_id}>{t("workflows.job")}</JobLink>
          </p>
        )}
      </div>
    </details>
  );
}
