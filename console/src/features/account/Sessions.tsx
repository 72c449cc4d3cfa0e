/** Active sessions, each with a sign-out button. */

import { Button } from "@mantine/core";
import { IconDeviceLaptop, IconDeviceMobile, IconTerminal2 } from "@tabler/icons-react";
import { useRef, useState } from "react";

import { dateTime, t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { notice, noticeFault } from "@/ui/notice";
import { Failed, Loading } from "@/ui/states";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";

import styles from "./Account.module.css";
import { agentOf, type Agent } from "./agent";
import { useEndSessions, useSessions, type Session } from "./queries";

export function Sessions() {
  const sessions = useSessions();
  const end = useEndSessions();
  const [asking, setAsking] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  if (sessions.isPending) return <Loading />;
  if (sessions.isLoadingError) return <Failed error={sessions.error} again={() => void sessions.refetch()} />;
  const all = sessions.data.items.toSorted((one, other) => Number(other.current) - Number(one.current));
  const others = all.filter((session) => !session.current).map((session) => session.id);
  return (
    <>
      <ul ref={list} tabIndex={-1} className={styles.sessions} aria-label={t("account.sessions")}>
        {all.map((session) => (
          <SessionLine key={session.id} session={session} onEnded={() => list.current?.focus()} />
        ))}
      </ul>
      {others.length === 0 ? (
        <p className="muted">{t("account.sessions.alone")}</p>
      ) : (
        <Button variant="default" onClick={() => setAsking(true)}>
          {t("account.sessions.others", { count: others.length })}
        </Button>
      )}
      {asking && (
        <ConfirmDialog
          title={t("account.sessions.others.title", { count: others.length })}
          confirm={t("account.sessions.others.do")}
          perform={async () => {
            await end.mutateAsync(others);
            notice(t("account.sessions.others.done"));
          }}
          onClose={() => setAsking(false)}
        >
          <p className="muted">{t("account.sessions.others.words")}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** The row is removed with its session, so focus moves to the list. */
function SessionLine({ session, onEnded }: { session: Session; onEnded: () => void }) {
  const end = useEndSessions();
  const agent = agentOf(session.agent);
  const name = nameOf(agent);
  const Picture = pictureOf(agent);

  async function endIt(): Promise<void> {
    try {
      await end.mutateAsync([session.id]);
      notice(t("account.sessions.ended"));
      onEnded();
    } catch (fault) {
      noticeFault(fault);
    }
  }

  return (
    <li>
      <Picture aria-hidden size={22} stroke={1.5} className={styles.quiet} />
      <div className={styles.words}>
        <b title={session.agent}>
          {name} {session.current && <Tag tone="success">{t("account.sessions.this")}</Tag>}{" "}
          {session.kept && <Tag>{t("account.sessions.kept")}</Tag>}
        </b>
        <span>
          {session.address} · <Used session={session} /> · {t("account.sessions.began", { when: dateTime(session.created_at) })}
        </span>
      </div>
      {!session.current && (
        <Button
          variant="default"
          size="xs"
          loading={end.isPending}
          aria-label={t("account.sessions.end.named", { name, address: session.address })}
          onClick={() => void endIt()}
        >
          {t("account.sessions.end")}
        </Button>
      )}
    </li>
  );
}

function Used({ session }: { session: Session }) {
  const [before, after] = t("account.sessions.used", { when: "\n" }).split("\n");
  return (
    <>
      {before}
      <Time at={session.last_used_at} />
      {after}
    </>
  );
}

function nameOf(agent: Agent | undefined): string {
  if (!agent) return t("account.sessions.unknown");
  return agent.system ? t("account.sessions.agent", { browser: agent.browser, system: agent.system }) : agent.browser;
}

function pictureOf(agent: Agent | undefined) {
  if (agent?.handheld) return IconDeviceMobile;
  return agent?.system ? IconDeviceLaptop : IconTerminal2;
}
