/** Banners above a text: a draft from an earlier visit, a failed save, a conflict, a change by someone else. */

import { Button, CopyButton } from "@mantine/core";
import { IconAlertTriangle, IconHistory, IconUserEdit } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { Refusal } from "@/api/client";
import { ago, t } from "@/i18n";
import { RequestId } from "@/ui/states";
import { Time } from "@/ui/Time";

import styles from "./Notices.module.css";
import { ANSWER_LOST, type Snapshot, type Writing } from "./writing";

interface Props {
  now: Snapshot;
  writing: Writing;
  lost?: unknown;
  /** Text that can't be saved can become a new item. */
  mayStartOver: boolean;
  onResolve: () => void;
}

export function Notices({ now, writing, lost, mayStartOver, onResolve }: Props) {
  if (now.offer) return <Offer now={now} writing={writing} />;
  if (now.conflict) {
    return (
      <Bar tone="danger" title={t("writing.conflict.bar")}>
        <Button size="compact-sm" onClick={onResolve}>
          {t("writing.conflict.resolve")}
        </Button>
        <CopyMine now={now} />
      </Bar>
    );
  }
  if (now.word === "refused") return <Refusing now={now} writing={writing} mayStartOver={mayStartOver} fault={now.fault} title={t("writing.refused.save")} />;
  if (lost instanceof Refusal && [403, 404].includes(lost.status)) {
    return <Refusing now={now} writing={writing} mayStartOver={mayStartOver} fault={lost} title={t("writing.lost")} />;
  }
  return now.newer && <Newer newer={now.newer} writing={writing} />;
}

function Newer({ newer, writing }: { newer: NonNullable<Snapshot["newer"]>; writing: Writing }) {
  return (
    <Bar tone="accent" icon={<IconUserEdit aria-hidden size={18} />} title={t("writing.newer")} words={t("writing.newer.words", { version: newer.version })}>
      <Button size="compact-sm" variant="default" onClick={() => writing.reload()}>
        {t("writing.newer.reload")}
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => writing.keepEditing()}>
        {t("writing.newer.keep")}
      </Button>
    </Bar>
  );
}

function Offer({ now, writing }: { now: Snapshot; writing: Writing }) {
  if (!now.offer) return null;
  const title = t(now.id ? "writing.draft.offer" : "writing.draft.offer.new", { when: ago(now.offer.at) });
  const isOvertaken = now.offer.version < now.version;
  return (
    <Bar
      tone="warning"
      icon={<IconHistory aria-hidden size={18} />}
      title={<Time at={now.offer.at}>{title}</Time>}
      words={isOvertaken ? t("writing.draft.overtaken", { version: now.version }) : undefined}
    >
      <Button size="compact-sm" autoFocus onClick={() => writing.restore()}>
        {t("writing.draft.restore")}
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => writing.discard()}>
        {t("writing.draft.discard")}
      </Button>
    </Bar>
  );
}

type Refused = Pick<Props, "now" | "writing" | "mayStartOver"> & { fault: unknown; title: string };

function Refusing({ now, writing, mayStartOver, fault, title }: Refused) {
  const refusal = fault instanceof Refusal ? fault : undefined;
  return (
    <Bar tone="danger" title={title} words={wordsOf(refusal)}>
      {mayStartOver && (
        <Button size="compact-sm" variant="default" onClick={() => writing.startOver()}>
          {t("writing.refused.as_new")}
        </Button>
      )}
      <CopyMine now={now} />
      {refusal?.requestId && <RequestId id={refusal.requestId} code={refusal.code} />}
    </Bar>
  );
}

function wordsOf(refusal: Refusal | undefined): string {
  if (refusal?.problem.key === ANSWER_LOST) return t("writing.refused.created");
  return refusal?.message ?? t("state.failed.unknown");
}

function CopyMine({ now }: { now: Snapshot }) {
  return (
    <CopyButton value={now.text.body}>
      {({ copied, copy }) => (
        <Button size="compact-sm" variant="default" onClick={copy}>
          {copied ? t("action.copied") : t("writing.copy.text")}
        </Button>
      )}
    </CopyButton>
  );
}

interface BarProps {
  /** An accented bar is only information, and waits until whoever listens is ready. */
  tone: "accent" | "warning" | "danger";
  icon?: ReactNode;
  title: ReactNode;
  words?: string;
  children: ReactNode;
}

function Bar({ tone, icon = <IconAlertTriangle aria-hidden size={18} />, title, words, children }: BarProps) {
  return (
    <div className={styles.bar} role={tone === "accent" ? "status" : "alert"} data-tone={tone}>
      <span className={styles.picture}>{icon}</span>
      <p className={styles.words}>
        <b>{title}</b> {words}
      </p>
      <div className={styles.buttons}>{children}</div>
    </div>
  );
}
