/** What the model thinks, with words of the form as reasons. It advises; a person decides. */

import { number, t } from "@/i18n";

import type { Verdict } from "../api";
import styles from "./Detail.module.css";
import { VerdictTag } from "./Tags";

interface Props {
  verdict: Verdict | null;
  labelOf: (field: string) => string;
}

export function VerdictPart({ verdict, labelOf }: Props) {
  if (!verdict) return null;
  return (
    <section className={styles.part} aria-label={t("prospects.verdict")}>
      <h3>{t("prospects.verdict")}</h3>
      <p className={styles.verdict}>
        <VerdictTag decision={verdict.decision} />
        <span className="muted">{t("prospects.verdict.score", { score: number(verdict.score), model: verdict.model })}</span>
      </p>
      {verdict.reasons.length > 0 && (
        <ul className={styles.reasons}>
          {verdict.reasons.map((reason, place) => (
            <li key={place}>
              <span dir="auto">{reason.criterion}</span>
              <blockquote dir="auto">{reason.quote}</blockquote>
              <span className={styles.source}>{labelOf(reason.field)}</span>
            </li>
          ))}
        </ul>
      )}
      <p className={styles.hint}>{t("prospects.verdict.words")}</p>
    </section>
  );
}
