/** Terms of the team's glossary in a source, as the server found them. */

import { t } from "@/i18n";

import type { Message } from "../api";
import styles from "./Texts.module.css";

export function Terms({ message: { terms = [], locale } }: { message: Message }) {
  if (terms.length === 0) return null;
  return (
    <div className={styles.help}>
      <h4>{t("localization.terms")}</h4>
      <dl className={styles.terms}>
        {terms.map(({ term, translation, note, forbidden }) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd lang={locale}>{translation}</dd>
            {forbidden.length > 0 && <dd className="muted">{t("glossary.import.avoid", { forms: forbidden.join(", ") })}</dd>}
            {note && <dd className="muted">{note}</dd>}
          </div>
        ))}
      </dl>
    </div>
  );
}
