/** The states of a screen that is not ready: it waits, is empty, was refused, or failed. Each says what to do next. */

import { Button, CopyButton, Loader } from "@mantine/core";
import { IconAlertTriangle, IconCopy, IconLock, IconMoodEmpty, IconPlugConnectedX, type Icon } from "@tabler/icons-react";
import { useEffect, useEffectEvent, type ReactNode } from "react";

import { Refusal, type Permission } from "@/api/client";
import { onReturn } from "@/api/reach";
import { t } from "@/i18n";

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
      {action}
    </div>
  );
}

/** Somebody may not do this: what is missing, and who can give it. */
export function Refused({ permission, detail }: { permission?: Permission | "operator"; detail?: string }) {
  return (
    <div className={styles.state} role="alert">
      <IconLock aria-hidden size={36} stroke={1.25} className={styles.picture} />
      <h1>{t("state.refused")}</h1>
      <p className={styles.words}>{detail ?? (permission ? t("state.refused.needs", { permission }) : t("state.refused.ask"))}</p>
    </div>
  );
}

interface Failure {
  error: unknown;
  again?: () => void;
}

export function Failed({ error, again }: Failure) {
  const refusal = error instanceof Refusal ? error : undefined;
  if (refusal?.status === 403) return <Refused detail={refusal.message} />;
  if (refusal?.unreachable) return <Unreachable again={again} />;
  return (
    <div className={styles.state} role="alert">
      <IconAlertTriangle aria-hidden size={36} stroke={1.25} className={styles.picture} />
      <h1>{refusal?.status === 404 ? t("state.missing") : t("state.failed")}</h1>
      <p className={styles.words}>{refusal?.message ?? t("state.failed.unknown")}</p>
      <div className={styles.row}>
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

/** The server is gone: asked again on demand, and unasked as soon as it is back. */
function Unreachable({ again }: Pick<Failure, "again">) {
  const goOn = useEffectEvent(() => again?.());
  useEffect(() => onReturn(() => goOn()), []);
  return (
    <div className={styles.state} role="alert">
      <IconPlugConnectedX aria-hidden size={36} stroke={1.25} className={styles.picture} />
      <h1>{t("state.unreachable")}</h1>
      <p className={styles.words}>{t("state.unreachable.words")}</p>
      {again && (
        <Button variant="default" onClick={again}>
          {t("state.again")}
        </Button>
      )}
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
