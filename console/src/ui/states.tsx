/** Page states other than content: loading, empty, no access, failed. Each says what to do next. */

import { Button, CopyButton, Loader } from "@mantine/core";
import { IconAlertTriangle, IconCopy, IconLock, IconMoodEmpty, type Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { Refusal, type Permission } from "@/api/client";
import { useContacts } from "@/api/people";
import { currentLocale, t } from "@/i18n";
import { useServerLost } from "@/net/reachability";

import { grantedBy, permissionIn, permissionName } from "./permissions";
import styles from "./states.module.css";

export function Loading({ what }: { what?: string }) {
  return (
    <div className={styles.waiting} role="status">
      <Loader size="sm" />
      <p className="muted">{what ?? t("state.loading")}</p>
    </div>
  );
}

interface Words {
  title: string;
  children?: ReactNode;
  icon?: Icon;
  action?: ReactNode;
}

export function Empty({ title, children, icon: Picture = IconMoodEmpty, action }: Words) {
  return (
    <div className={styles.state}>
      <Picture aria-hidden size={36} stroke={1.25} className={styles.picture} />
      <h2>{title}</h2>
      {children && <div className={styles.words}>{children}</div>}
      {action && <div className={styles.row}>{action}</div>}
    </div>
  );
}

/** No access: the permission that is missing and who can grant it, or why else the server refused. */
interface RefusedProps {
  permission?: Permission | "operator";
  detail?: string;
  /** The title of the screen that is refused. */
  screen?: string;
}

export function Refused({ permission, detail, screen }: RefusedProps) {
  const needed = permission === "operator" ? "instance:manage" : permission;
  return (
    <div className={styles.state} role="alert">
      <IconLock aria-hidden size={36} stroke={1.25} className={styles.picture} />
      <h1>{screen ? t("state.refused.to", { screen }) : t("state.refused")}</h1>
      <p className={styles.words}>{needed ? t("state.refused.needs", { permission: permissionName(needed) }) : detail}</p>
      {needed && <WhoCanHelp scope={grantedBy(needed)} />}
    </div>
  );
}

/** Whom to ask for a permission. */
export function WhoCanHelp({ scope }: { scope: ReturnType<typeof grantedBy> }) {
  const contacts = useContacts(scope !== "instance");
  if (contacts.isLoading) return null;
  const people = scope === "instance" ? [] : (contacts.data?.[scope] ?? []);
  const names = new Intl.ListFormat(currentLocale(), { type: "disjunction" }).format(people.map((person) => person.display_name));
  return (
    <p className={styles.words}>{people.length > 0 ? t(`state.refused.people.${scope as "team" | "org"}`, { names, count: people.length }) : t(`state.refused.ask.${scope}`)}</p>
  );
}

interface Failure {
  error: unknown;
  again?: () => void;
  /** Said instead of the server’s words, if it is not there. */
  missing?: string;
  /** Other ways out. */
  actions?: ReactNode;
}

export function Failed({ error, again, missing, actions }: Failure) {
  const lost = useServerLost();
  const refusal = error instanceof Refusal ? error : undefined;
  if (refusal?.status === 403) return <Refused permission={permissionIn(refusal.problem)} detail={refusal.message} />;
  // The connection bar is shown, and the query runs again when the server is back.
  if (refusal?.unreachable && lost) return null;
  const isMissing = refusal?.status === 404;
  return (
    <div className={styles.state} role="alert">
      <IconAlertTriangle aria-hidden size={36} stroke={1.25} className={styles.picture} />
      <h1>{isMissing ? t("state.missing") : t("state.failed")}</h1>
      <p className={styles.words}>{(isMissing && missing) || (refusal?.message ?? t("state.failed.unknown"))}</p>
      <div className={styles.row}>
        {actions}
        {again && (
          <Button variant="default" onClick={again}>
            {t("state.again")}
          </Button>
        )}
        {refusal?.requestId && <RequestId id={refusal.requestId} code={refusal.code} />}
      </div>
    </div>
  );
}

export function RequestId({ id, code }: { id: string; code: string }) {
  return (
    <CopyButton value={`${code} ${id}`}>
      {({ copied, copy }) => (
        <Button variant="subtle" size="xs" leftSection={<IconCopy aria-hidden size={14} />} onClick={copy}>
          {copied ? t("action.copied") : t("state.request", { id: id.slice(-8) })}
        </Button>
      )}
    </CopyButton>
  );
}
