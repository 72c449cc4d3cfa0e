/** An answer: the tools that were used, its text with sources, how it ended, and what can be done with it. */

import { ActionIcon, Alert, Button, CopyButton, Tooltip } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconCopy, IconPlugConnectedX, IconPlayerStop, IconRefresh } from "@tabler/icons-react";
import { useDeferredValue, useMemo } from "react";

import { number, reportedText, t } from "@/i18n";
import { LateMarkdown } from "@/ui/markdown/LateMarkdown";
import type { Marks } from "@/ui/markdown/Markdown";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";
import { ArtifactCard } from "@/ui/turns/ArtifactCard";
import { textOf } from "@/ui/turns/content";
import { ToolCard } from "@/ui/turns/ToolCard";
import { withoutMarks } from "@/ui/turns/withoutMarks";

import type { Citation, Turn } from "../api";
import { CitationMark } from "../sources/CitationMark";
import type { Snapshot } from "../stream/answering";
import { Siblings } from "./Siblings";
import styles from "./Thread.module.css";

interface Props {
  turn: Turn;
  siblings: Turn[];
  /** While it is streamed. */
  now?: Snapshot;
  mayAsk: boolean;
  onSwitch: (id: string) => void;
  onRegenerate: () => void;
  onCitation: (citation: Citation) => void;
}

export function AnswerTurn({ turn, siblings, now, mayAsk, onSwitch, onRegenerate, onCitation }: Props) {
  const text = textOf(turn.content);
  const isRunning = turn.state === "running";
  const steps = turn.steps ?? [];
  const artifacts = steps.flatMap((step) => (step.artifact ? [step.artifact] : []));
  return (
    <li className={styles.answer} aria-label={t("chat.answer")} aria-busy={isRunning}>
      {steps.map((step, place) => (
        // By place: a stored step has no id of its call, and an opened card must stay open when the answer is stored.
        <ToolCard key={place} step={step} state={turn.state} />
      ))}
      {text && <Text text={text} citations={turn.citations ?? []} onCitation={onCitation} />}
      {artifacts.map((artifact, place) => (
        <ArtifactCard key={place} artifact={artifact} />
      ))}
      {isRunning ? <Working now={now} hasText={text !== ""} /> : <Ending turn={turn} onAgain={mayAsk ? onRegenerate : undefined} />}
      {!isRunning && (
        <div className={styles.row}>
          {text && <Copy text={withoutMarks(text)} />}
          {mayAsk && turn.state !== "failed" && (
            <Tooltip label={t("chat.regenerate")} openDelay={300}>
              <ActionIcon variant="subtle" color="gray" size={26} aria-label={t("chat.regenerate")} onClick={onRegenerate}>
                <IconRefresh aria-hidden size={15} />
              </ActionIcon>
            </Tooltip>
          )}
          <Siblings turn={turn} siblings={siblings} onSwitch={onSwitch} />
          <span className={styles.facts}>
            {turn.simulated ? <Tag tone="warning">{t("chat.simulated")}</Tag> : turn.model && <span>{turn.model}</span>}
            {turn.usage && <span>{t("chat.tokens", { count: number(turn.usage.total_tokens) })}</span>}
            <Time at={turn.created_at} />
          </span>
        </div>
      )}
    </li>
  );
}

function Text({ text, citations, onCitation }: { text: string; citations: readonly Citation[]; onCitation: Props["onCitation"] }) {
  // Input has priority over rendering a streamed text.
  const shown = useDeferredValue(text);
  const marks = useMemo((): Marks => {
    const known = new Map(citations.map((citation) => [citation.number, citation]));
    return {
      numbers: new Set(known.keys()),
      show: (place) => {
        const citation = known.get(place);
        return citation && <CitationMark citation={citation} onOpen={() => onCitation(citation)} />;
      },
    };
  }, [citations, onCitation]);
  return <LateMarkdown text={shown} marks={marks} hosts />;
}

function Working({ now, hasText }: { now?: Snapshot; hasText: boolean }) {
  const isLost = now?.connection === "lost";
  if (isLost) {
    return (
      <p className={styles.note} data-tone="warning" role="status">
        <IconPlugConnectedX aria-hidden size={15} />
        {t("chat.reconnecting")}
      </p>
    );
  }
  const words = now?.isStopping ? t("chat.stopping") : hasText ? "" : now ? t("chat.thinking") : t("chat.elsewhere");
  return (
    <p className={styles.working}>
      <span className={styles.dots} aria-hidden>
        <i />
        <i />
        <i />
      </span>
      {words}
    </p>
  );
}

const CUT_SHORT = ["length", "tool_limit", "quota"] as const;

/** How an answer ended, if not normally. */
function Ending({ turn: { state, error, finish_reason: reason }, onAgain }: { turn: Turn; onAgain?: () => void }) {
  const told = error && (reportedText({ key: error.key, params: error.params ?? undefined }) ?? error.message);
  if (state === "stopped") {
    return (
      <p className={styles.note}>
        <IconPlayerStop aria-hidden size={15} />
        {t("chat.stopped")}
        {told && <> {told}</>}
      </p>
    );
  }
  if (state === "failed") {
    return (
      <Alert color="danger" role="alert" title={t("chat.failed")}>
        <div className={styles.failed}>
          <span>
            {told ?? t("state.failed.unknown")}
            {error?.code && <code className="muted"> {error.code}</code>}
          </span>
          {onAgain && (
            <Button variant="default" size="compact-md" onClick={onAgain}>
              {t("state.again")}
            </Button>
          )}
        </div>
      </Alert>
    );
  }
  const cut = CUT_SHORT.find((one) => one === reason);
  if (!cut && !told) return null;
  return (
    <p className={styles.note} data-tone="warning">
      <IconAlertTriangle aria-hidden size={15} />
      {cut ? t(`chat.cut.${cut}`) : told}
    </p>
  );
}

function Copy({ text }: { text: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t("action.copied") : t("chat.copy")} openDelay={300}>
          <ActionIcon variant="subtle" color="gray" size={26} aria-label={copied ? t("action.copied") : t("chat.copy")} onClick={copy}>
            {copied ? <IconCheck aria-hidden size={15} /> : <IconCopy aria-hidden size={15} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
