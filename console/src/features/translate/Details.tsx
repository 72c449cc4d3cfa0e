/** What is to be known about a translation: failed checks, glossary terms, cost. */

import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { t } from "@/i18n";
import { Tag } from "@/ui/Tag";

import { checkText } from "./checkText";
import type { FailedCheck, Hit } from "./queries";
import styles from "./Translate.module.css";

export function Details({ children }: { children: ReactNode }) {
  return <div className={styles.details}>{children}</div>;
}

interface ChecksProps {
  checks: readonly FailedCheck[];
  /** The check that is shown in the texts. */
  shown?: FailedCheck;
  /** Shows the check in the texts. */
  onShow?: (check: FailedCheck) => void;
  /** False where they stand beside their texts. */
  listed?: boolean;
}

export function Checks({ checks, shown, onShow, listed = true }: ChecksProps) {
  return (
    <section aria-label={t("translate.checks")}>
      <h2>
        {checks.length > 0 ? <IconAlertTriangle aria-hidden size={17} className={styles.bad} /> : <IconCircleCheck aria-hidden size={17} className={styles.good} />}
        {checks.length > 0 ? t("translate.checks.count", { count: checks.length }) : t("translate.checks.passed")}
      </h2>
      {checks.length > 0 && <p className="muted">{t("translate.checks.words")}</p>}
      {listed && (
        <ul className={styles.checks}>
          {checks.map((check, place) => (
            <li key={place}>
              <button type="button" className={styles.check} aria-pressed={check === shown} onClick={() => onShow?.(check)}>
                <span>
                  <b>{t(`translate.check.${check.check}`)}</b> {checkText(check)}
                </span>
                <span className={styles.excerpt}>{check.excerpt}</span>
                <span className="sr-only">{t("translate.checks.show")}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

export function Hits({ hits }: { hits: readonly Hit[] }) {
  return (
    <section aria-label={t("translate.hits")}>
      <h2>{hits.length > 0 ? t("translate.hits") : t("translate.hits.none")}</h2>
      <ul className={styles.hits}>
        {hits.map(({ term, translation, count, applied }) => (
          <li key={term}>
            <span>{t("translate.hits.pair", { term, translation })}</span>
            <Tag tone={applied < count ? "warning" : "success"}>{t("translate.hits.used", { applied, count })}</Tag>
          </li>
        ))}
      </ul>
    </section>
  );
}
