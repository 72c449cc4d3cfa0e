/** One prospect: the answers, what was noticed, what the model thinks, and the decision. */

import { Button } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconTrash, IconX } from "@tabler/icons-react";
import { useId, type ReactNode } from "react";

import { dateTime, t } from "@/i18n";
import { Facts } from "@/ui/Facts";
import { Fault } from "@/ui/forms";
import { useNames } from "@/ui/names";
import { Time } from "@/ui/Time";

import type { Prospect } from "../api";
import { useExperience } from "../queries";
import { DeclineForm } from "./DeclineForm";
import styles from "./Detail.module.css";
import { LevelTag, StateTag } from "./Tags";
import { VerdictPart } from "./VerdictPart";
import { localized, nameOf, signalFacts } from "./words";

interface Props {
  prospect: Prospect;
  isDeclining: boolean;
  isSending: boolean;
  fault: unknown;
  onAccept: () => void;
  onDecline: (declining: boolean) => void;
  onSendDecline: (note: string) => void;
  onDelete: () => void;
}

export function Detail({ prospect, isDeclining, isSending, fault, onAccept, onDecline, onSendDecline, onDelete }: Props) {
  const labelOf = useLabels();
  const heading = useId();
  return (
    <article className={styles.detail} aria-labelledby={heading} data-detail tabIndex={-1}>
      <header className={styles.head}>
        <div>
          <h2 id={heading}>{nameOf(prospect)}</h2>
          <p className="muted">
            <a href={`mailto:${prospect.email}`}>{prospect.email}</a>
            {" · "}
            <Time at={prospect.created_at} />
          </p>
        </div>
        <span className={styles.tags}>
          <StateTag state={prospect.state} />
          <LevelTag level={prospect.level} />
        </span>
      </header>
      {prospect.state === "captured" ? (
        <div className={styles.decide}>
          {isDeclining ? (
            <DeclineForm sending={isSending} onSend={onSendDecline} onCancel={() => onDecline(false)} />
          ) : (
            <div className={styles.buttons}>
              <Button loading={isSending} leftSection={<IconCheck aria-hidden size={16} />} rightSection={<kbd>A</kbd>} onClick={onAccept}>
                {t("prospects.accept")}
              </Button>
              <Button variant="default" disabled={isSending} leftSection={<IconX aria-hidden size={16} />} rightSection={<kbd>D</kbd>} onClick={() => onDecline(true)}>
                {t("prospects.decline")}
              </Button>
            </div>
          )}
          <Fault fault={fault} />
        </div>
      ) : (
        <Outcome prospect={prospect} />
      )}
      <Part title={t("prospects.answers")}>
        <dl className={styles.answers}>
          {Object.entries(prospect.fields).map(([name, value]) => (
            <div key={name}>
              <dt dir="auto">{labelOf(name)}</dt>
              <dd>
                <Answer value={value} />
              </dd>
            </div>
          ))}
        </dl>
      </Part>
      <VerdictPart verdict={prospect.verdict} labelOf={labelOf} />
      <Part title={t("prospects.signals")}>
        <Doubts prospect={prospect} />
        <details className={styles.more}>
          <summary>{t("prospects.signals.more")}</summary>
          <Facts facts={signalFacts(prospect)} />
        </details>
      </Part>
      <footer className={styles.foot}>
        <Button variant="subtle" color="danger" size="compact-sm" leftSection={<IconTrash aria-hidden size={15} />} onClick={onDelete}>
          {t("prospects.delete")}
        </Button>
      </footer>
    </article>
  );
}

export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.part} aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Answer({ value }: { value: string | boolean }) {
  if (typeof value === "boolean") return t(value ? "prospects.yes" : "prospects.no");
  if (value === "") return <span className="muted">{t("prospects.unanswered")}</span>;
  return (
    <span className={styles.answer} dir="auto">
      {value}
    </span>
  );
}

function Doubts({ prospect: { signals } }: { prospect: Prospect }) {
  if (signals.doubts.length === 0) return <p className={styles.none}>{t("prospects.doubts.none")}</p>;
  return (
    <ul className={styles.doubts}>
      {signals.doubts.map((doubt) => (
        <li key={doubt}>
          <IconAlertTriangle aria-hidden size={15} />
          {t(`prospects.doubt.${doubt}`)}
        </li>
      ))}
    </ul>
  );
}

function Outcome({ prospect: { state, note, decided_by: by, decided_at: at } }: { prospect: Prospect }) {
  const names = useNames();
  return (
    <div className={styles.outcome}>
      <p>
        {t(state === "accepted" ? "prospects.outcome.accepted" : "prospects.outcome.declined", { name: by ? names.of(by) : t("names.somebody"), at: at ? dateTime(at) : "" })}
      </p>
      {note && <blockquote dir="auto">{note}</blockquote>}
    </div>
  );
}

/** Labels of the fields, as the team wrote them; a field that is gone has its name. */
function useLabels(): (name: string) => string {
  const experience = useExperience();
  const fields = experience.data?.published?.document.fields ?? experience.data?.fields ?? [];
  return (name) => localized(fields.find((field) => field.name === name)?.label) ?? name;
}
