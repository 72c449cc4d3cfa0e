/** A tool that was used for an answer: closed, only its name and how it went. */

import { IconAlertTriangle, IconCheck, IconChevronRight, IconLoader2, IconTool } from "@tabler/icons-react";

import { reportedText, t } from "@/i18n";
import { Snippet } from "@/ui/Snippet";

import type { Step } from "./shapes";
import styles from "./Turns.module.css";

const LONGEST = 4_000;

/** Of the answer that the tool was used for. */
type TurnState = "running" | "done" | "failed" | "stopped";

export function ToolCard({ step, state }: { step: Step; state: TurnState }) {
  const isOver = state === "done" || step.result !== undefined || Boolean(step.artifact);
  const fault = faultOf(step);
  const result = resultOf(step);
  return (
    <details className={styles.tool}>
      <summary>
        <IconChevronRight aria-hidden size={14} className={styles.chevron} />
        <IconTool aria-hidden size={15} />
        <span className="sr-only">{t("turns.tool")}</span>
        <span className={styles.name}>{step.tool}</span>
        <span className={styles.short}>{fault ?? shortOf(step)}</span>
        <State isOver={isOver} isRunning={state === "running"} failed={fault !== undefined} />
      </summary>
      <div className={styles.inside}>
        <h3>{t("turns.tool.arguments")}</h3>
        <Snippet label={t("turns.tool.arguments")} text={written(step.arguments)} />
        {fault && (
          <>
            <h3>{t("turns.tool.error")}</h3>
            <p>{fault}</p>
          </>
        )}
        {result && (
          <>
            <h3>{t("turns.tool.result")}</h3>
            {/* Scrolls by keyboard, too. */}
            {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
            <pre className={styles.excerpt} role="region" aria-label={t("turns.tool.result")} tabIndex={0}>
              {result.slice(0, LONGEST)}
            </pre>
          </>
        )}
      </div>
    </details>
  );
}

function State({ isOver, isRunning, failed }: { isOver: boolean; isRunning: boolean; failed: boolean }) {
  if (failed) {
    return (
      <span className={styles.state} data-tone="danger">
        <IconAlertTriangle aria-hidden size={14} />
        {t("turns.tool.failed")}
      </span>
    );
  }
  if (isOver) {
    return (
      <span className={styles.state} data-tone="success">
        <IconCheck aria-hidden size={14} />
        {t("turns.tool.done")}
      </span>
    );
  }
  return (
    <span className={styles.state}>
      <IconLoader2 aria-hidden size={14} />
      {isRunning ? t("turns.tool.running") : t("turns.tool.ended")}
    </span>
  );
}

function faultOf({ error }: Step): string | undefined {
  if (error === undefined || error === null) return undefined;
  if (typeof error === "string") return error;
  return reportedText({ key: error.key, params: error.params ?? undefined }) ?? error.message ?? error.code;
}

/** A result in a few words. */
function shortOf({ result, artifact }: Step): string {
  if (artifact) return artifact.title;
  if (Array.isArray(result)) return t("turns.tool.items", { count: result.length });
  const text = typeof result === "string" ? result : result === undefined || result === null ? "" : JSON.stringify(result);
  return text.split("\n")[0] ?? "";
}

const resultOf = ({ result }: Step): string => (result === undefined || result === null ? "" : typeof result === "string" ? result : written(result));

const written = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
