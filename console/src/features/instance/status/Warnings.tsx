/** Warnings an operator should act on. */

import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";

import { t } from "@/i18n";

import type { Status } from "../queries";
import styles from "./Status.module.css";

export function Warnings({ status }: { status: Status }) {
  return warningsOf(status, location).map((warning) => (
    <Alert key={warning} className={styles.warning} color="warning" icon={<IconAlertTriangle aria-hidden />} title={t(`instance.warn.${warning}`)}>
      {t(`instance.warn.${warning}.words`, { host: location.host })}
    </Alert>
  ));
}

type Warning = "open" | "address" | "suspended";

export function warningsOf(status: Status, page: Pick<Location, "protocol" | "hostname">): Warning[] {
  const found: Warning[] = [];
  if (status.suspended) found.push("suspended");
  if (!status.tls && page.protocol === "https:") found.push("address");
  if (!status.tls && page.protocol === "http:" && !forThisMachine(page.hostname)) found.push("open");
  return found;
}

/** Localhost: no network in between. */
export function forThisMachine(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\./.test(host);
}
