/** Terms of the team's glossary in a source. */

import { t } from "@/i18n";

import type { Message } from "../api";
import { useTerms } from "../queries";
import { termsIn } from "../terms";
import styles from "./Texts.module.css";

export function Terms({ message }: { message: Message }) {
  const hits = termsIn(message.source, useTerms(message.locale));
  if (hits.length === 0) return null;
  return (
    <div className={styles.help}>
      <h4>{t("localization.terms")}</h4>
      <dl className={styles.terms}>
        {hits.map(({ term, translation, note, forbidden }) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd lang={message.locale}>{translation}</dd>
            {forbidden.length > 0 && <dd className="muted">{t("glossary.import.avoid", { forms: forbidden.join(", ") })}</dd>}
            {note && <dd className="muted">{note}</dd>}
          </div>
        ))}
      </dl>
    </div>
  );
}
