/** Totals. */

import { number, t } from "@/i18n";

import styles from "./Status.module.css";

const KNOWN = ["orgs", "teams", "users", "notes", "objects", "object_versions", "tokens", "audit_events", "tenants"] as const;
type Known = (typeof KNOWN)[number];

const isKnown = (name: string): name is Known => (KNOWN as readonly string[]).includes(name);

/** In a fixed order; counts from a newer server come last, by their code. */
export function Counts({ counts }: { counts: Record<string, number> }) {
  const names = [...KNOWN.filter((name) => name in counts), ...Object.keys(counts).filter((name) => !isKnown(name))];
  return (
    <dl className={styles.counts} aria-label={t("instance.counts")}>
      {names.map((name) => (
        <div key={name}>
          <dt>{isKnown(name) ? t(`instance.count.${name}`) : name}</dt>
          <dd>{number(counts[name] ?? 0)}</dd>
        </div>
      ))}
    </dl>
  );
}
