/** All terms, filtered by text and language. */

import { Select } from "@mantine/core";
import { useState } from "react";

import { languageName, t } from "@/i18n";
import { Empty } from "@/ui/states";
import { fits, ListFilter } from "@/ui/TextFilter";

import styles from "./Glossary.module.css";
import type { Term } from "./queries";
import { TermTable } from "./TermTable";
import { byLanguage } from "./terms";

const ALL = "";

export function Terms({ terms, mayChange }: { terms: readonly Term[]; mayChange: boolean }) {
  const [wanted, setWanted] = useState("");
  const [chosen, setChosen] = useState(ALL);
  const groups = byLanguage(terms);
  // The last term of the chosen language may have been deleted.
  const language = groups.some(({ target }) => target === chosen) ? chosen : ALL;
  const isShown = (term: Term): boolean =>
    (language === ALL || term.target === language) && fits(wanted, term.term, term.translation, term.note, ...term.forbidden);
  const shown = groups.map(({ target, terms: some }) => ({ target, terms: some.filter(isShown) })).filter((group) => group.terms.length > 0);
  const count = shown.reduce((sum, group) => sum + group.terms.length, 0);
  return (
    <>
      <div className={styles.filters}>
        {groups.length > 1 && (
          <Select
            className={styles.language}
            aria-label={t("glossary.language")}
            data={[{ value: ALL, label: t("glossary.language.all") }, ...groups.map(({ target }) => ({ value: target, label: languageName(target) }))]}
            searchable={groups.length > 8}
            allowDeselect={false}
            value={language}
            onChange={(value) => setChosen(value ?? ALL)}
          />
        )}
        <ListFilter label={t("glossary.filter")} value={wanted} onChange={setWanted} count={t("glossary.count", { count })} />
      </div>
      {shown.map((group) => (
        <section key={group.target} className={styles.group} aria-label={languageName(group.target)}>
          <h2>
            {languageName(group.target)} <span className="muted">{group.target}</span>
          </h2>
          <TermTable {...group} mayChange={mayChange} />
        </section>
      ))}
      {count === 0 && <Empty title={t("glossary.none.filtered")} />}
    </>
  );
}
