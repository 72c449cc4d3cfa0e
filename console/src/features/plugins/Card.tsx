/** A server or a sandboxed plugin as a card: name, state, what went wrong last, and details. */

import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useId, type ReactNode } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";

import styles from "./Card.module.css";

interface Props {
  title: string;
  below?: ReactNode;
  tags: ReactNode;
  /** Only operators are told what exactly. */
  fault: string | null;
  faultTitle: string;
  children: ReactNode;
}

export function Card({ title, below, tags, fault, faultTitle, children }: Props) {
  const { operator } = useSession();
  const id = useId();
  return (
    <section className={styles.card} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        {tags}
      </header>
      {below && <p className="muted">{below}</p>}
      {fault && (
        <Alert color="warning" icon={<IconAlertTriangle aria-hidden size={18} />} title={faultTitle}>
          {operator ? <code className={styles.fault}>{fault}</code> : t("plugins.error.reader")}
        </Alert>
      )}
      {children}
    </section>
  );
}
