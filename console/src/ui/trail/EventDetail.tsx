/** All details of one event, with copy buttons and filters for similar events. */

import { Button } from "@mantine/core";
import type { ReactNode } from "react";

import { exactTime, number, t } from "@/i18n";

import { Copyable } from "../Copyable";
import type { Filters } from "./filters";
import { actionName, actorName } from "./sentences";
import type { TrailEvent, TrailSource } from "./source";
import styles from "./Trail.module.css";

interface Props {
  event: TrailEvent;
  source: TrailSource;
  team?: string;
  onFilter: (change: Filters) => void;
}

export function EventDetail({ event, source, team, onFilter }: Props) {
  const more = Object.entries(event.detail);
  const name = actorName(event, source.people);
  return (
    <div className={styles.detail}>
      <dl>
        <Fact name={t("audit.detail.at")}>{exactTime(event.at)}</Fact>
        <Fact name={t("audit.detail.actor")}>
          {name}
          {event.actor.username && <span className="muted"> {event.actor.username}</span>}
          {event.actor.kind === "api" && <span className="muted"> {t("audit.detail.actor.api")}</span>}
        </Fact>
        {event.address && <Fact name={t("audit.detail.address")}>{event.address}</Fact>}
        {team && <Fact name={t("audit.detail.team")}>{team}</Fact>}
        {event.target && (
          <Fact name={t("audit.detail.target")}>
            <Copyable value={event.target} label={t("audit.detail.target")} />
          </Fact>
        )}
        {more.map(([key, value]) => (
          <Fact key={key} name={<code>{key}</code>}>
            <code>{typeof value === "string" ? value : JSON.stringify(value)}</code>
          </Fact>
        ))}
        {event.request_id && (
          <Fact name={t("audit.detail.request")}>
            <Copyable value={event.request_id} label={t("audit.detail.request")} />
          </Fact>
        )}
        <Seal event={event} />
      </dl>
      <div className={styles.only}>
        <Only onClick={() => onFilter({ actor: event.actor.id ?? event.actor.kind })}>{t("audit.filter.only.person", { name })}</Only>
        <Only onClick={() => onFilter({ action: event.action })}>{t("audit.filter.only.action", { action: actionName(event.action) })}</Only>
        {event.target && <Only onClick={() => onFilter({ target: event.target ?? undefined })}>{t("audit.filter.only.target")}</Only>}
      </div>
    </div>
  );
}

function Seal({ event }: { event: TrailEvent }) {
  if (event.seq === null || event.hash === null) {
    return <Fact name={t("audit.detail.seq")}>{t("audit.detail.unsealed")}</Fact>;
  }
  return (
    <>
      <Fact name={t("audit.detail.seq")}>
        <Copyable value={String(event.seq)} short={number(event.seq)} label={t("audit.detail.seq")} />
      </Fact>
      <Fact name={t("audit.detail.hash")}>
        <Copyable value={event.hash} label={t("audit.detail.hash")} />
      </Fact>
    </>
  );
}

function Fact({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Only({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <Button variant="default" size="xs" onClick={onClick}>
      {children}
    </Button>
  );
}
