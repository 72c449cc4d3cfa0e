/** What stands between a note and its reader's trust in it: unsaved text of an earlier visit, a refusal, a conflict. */

import { Button, CopyButton } from "@mantine/core";
import { IconAlertTriangle, IconHistory } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { Refusal } from "@/api/client";
import { useSession } from "@/app/session";
import { ago, t } from "@/i18n";
import { RequestId } from "@/ui/states";

import type { Snapshot, Writing } from "../writing/writing";
import styles from "./Notices.module.css";

interface Props {
  now: Snapshot;
  writing: Writing;
  lost?: unknown;
  onResolve: () => void;
}

export function Notices({ now, writing, lost, onResolve }: Props) {
  if (now.offer) return <Offer now={now} writing={writing} />;
  if (now.conflict) {
    return (
      <Bar tone="danger" title={t("notes.conflict.bar")}>
        <Button size="compact-sm" onClick={onResolve}>
          {t("notes.conflict.resolve")}
        </Button>
        <CopyMine now={now} />
      </Bar>
    );
  }
  if (now.word === "refused") return <Refusing now={now} writing={writing} fault={now.fault} title={t("notes.refused.save")} />;
  if (lost instanceof Refusal && [403, 404].includes(lost.status)) {
    return <Refusing now={now} writing={writing} fault={lost} title={t("notes.lost")} />;
  }
  return null;
}

function Offer({ now, writing }: { now: Snapshot; writing: Writing }) {
  if (!now.offer) return null;
  const title = t(now.id ? "notes.draft.offer" : "notes.draft.offer.new", { when: ago(now.offer.at) });
  return (
    <Bar tone="warning" icon={<IconHistory aria-hidden size={18} />} title={title}>
      <Button size="compact-sm" autoFocus onClick={() => writing.restore()}>
        {t("notes.draft.restore")}
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => writing.discard()}>
        {t("notes.draft.discard")}
      </Button>
    </Bar>
  );
}

function Refusing({ now, writing, fault, title }: { now: Snapshot; writing: Writing; fault: unknown; title: string }) {
  const { can } = useSession();
  const refusal = fault instanceof Refusal ? fault : undefined;
  return (
    <Bar tone="danger" title={title} words={refusal?.message ?? t("state.failed.unknown")}>
      {can("notes:write") && (
        <Button size="compact-sm" variant="default" onClick={() => writing.startOver()}>
          {t("notes.refused.as_new")}
        </Button>
      )}
      <CopyMine now={now} />
      {refusal?.requestId && <RequestId id={refusal.requestId} code={refusal.code} />}
    </Bar>
  );
}

function CopyMine({ now }: { now: Snapshot }) {
  return (
    <CopyButton value={now.text.body}>
      {({ copied, copy }) => (
        <Button size="compact-sm" variant="default" onClick={copy}>
          {copied ? t("action.copied") : t("notes.copy.text")}
        </Button>
      )}
    </CopyButton>
  );
}

interface BarProps {
  tone: "warning" | "danger";
  icon?: ReactNode;
  title: string;
  words?: string;
  children: ReactNode;
}

function Bar({ tone, icon = <IconAlertTriangle aria-hidden size={18} />, title, words, children }: BarProps) {
  return (
    <div className={styles.bar} role="alert" data-tone={tone}>
      <span className={styles.picture}>{icon}</span>
      <p className={styles.words}>
        <b>{title}</b> {words}
      </p>
      <div className={styles.buttons}>{children}</div>
    </div>
  );
}
