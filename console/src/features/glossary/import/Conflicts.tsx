/** Terms that differ between glossary and file, to be replaced or left as they are. */

import { Checkbox } from "@mantine/core";

import { languageName, t } from "@/i18n";

import type { Conflict } from "../exchange";
import type { TermText } from "../queries";
import styles from "./Import.module.css";

interface Props {
  conflicts: readonly Conflict[];
  /** Lines of the file. */
  replaced: readonly number[];
  onChange: (replaced: readonly number[]) => void;
}

export function Conflicts({ conflicts, replaced, onChange }: Props) {
  if (conflicts.length === 0) return null;
  const isAll = replaced.length === conflicts.length;
  return (
    <section className={styles.part} aria-label={t("glossary.import.conflicts")}>
      <h3>{t("glossary.import.conflicts")}</h3>
      <p className="muted">{t("glossary.import.conflicts.words")}</p>
      {conflicts.length > 1 && (
        <Checkbox
          label={t("glossary.import.conflicts.all")}
          checked={isAll}
          indeterminate={!isAll && replaced.length > 0}
          onChange={() => onChange(isAll ? [] : conflicts.map(({ line }) => line))}
        />
      )}
      <ul className={styles.conflicts}>
        {conflicts.map(({ line, before, after }) => (
          <li key={line}>
            <Checkbox
              label={t("glossary.import.replace", { term: before.term, target: languageName(before.target) })}
              checked={replaced.includes(line)}
              onChange={(event) => onChange(event.currentTarget.checked ? [...replaced, line] : replaced.filter((one) => one !== line))}
            />
            <dl>
              <dt>{t("glossary.import.before")}</dt>
              <dd>{wordsOf(before)}</dd>
              <dt>{t("glossary.import.after")}</dt>
              <dd>{wordsOf(after)}</dd>
            </dl>
          </li>
        ))}
      </ul>
    </section>
  );
}

const wordsOf = ({ translation, note, forbidden }: TermText): string =>
  [translation, note, forbidden.length > 0 ? t("glossary.import.avoid", { forms: forbidden.join(", ") }) : ""].filter(Boolean).join(" · ");
