/** Translated texts by key, with the checks of each. */

import { Button, Switch } from "@mantine/core";
import { useState } from "react";

import { t } from "@/i18n";
import { Tag } from "@/ui/Tag";
import { fits, TextFilter } from "@/ui/TextFilter";

import { checkText } from "../checkText";
import type { CatalogOutcome } from "../outcomes";
import type { FailedCheck } from "../queries";
import styles from "../Translate.module.css";

const FIRST = 100;

export function CatalogResult({ outcome, busy }: { outcome: CatalogOutcome; busy: boolean }) {
  const { catalog, translations, checks, target } = outcome;
  const [wanted, setWanted] = useState("");
  const [onlyFailed, setOnlyFailed] = useState(false);
  const [all, setAll] = useState(false);
  const failed = new Map(checks.map((check) => [check.key ?? "", checks.filter(({ key }) => key === check.key)]));
  const entries = Object.entries(catalog.texts).filter(
    ([key, text]) => (!onlyFailed || failed.has(key)) && fits(wanted, key, text, translations[key] ?? ""),
  );
  return (
    <div className={styles.catalog} aria-busy={busy}>
      <div className={styles.filters}>
        <TextFilter label={t("translate.catalog.filter")} value={wanted} onChange={setWanted} />
        {failed.size > 0 && <Switch size="sm" label={t("translate.catalog.failed")} checked={onlyFailed} onChange={(event) => setOnlyFailed(event.currentTarget.checked)} />}
        <span className="sr-only" aria-live="polite">
          {t("translate.catalog.shown", { count: entries.length })}
        </span>
      </div>
      {/* What is larger than the box scrolls by key as well. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <dl className={styles.entries} tabIndex={0} aria-label={t("translate.result")}>
        {(all ? entries : entries.slice(0, FIRST)).map(([key, text]) => (
          <Entry key={key} name={key} text={text} translation={translations[key] ?? ""} target={target} checks={failed.get(key) ?? []} />
        ))}
      </dl>
      {!all && entries.length > FIRST && (
        <Button variant="subtle" size="xs" onClick={() => setAll(true)}>
          {t("translate.catalog.more", { count: entries.length })}
        </Button>
      )}
    </div>
  );
}

interface EntryProps {
  name: string;
  text: string;
  translation: string;
  target: string;
  checks: readonly FailedCheck[];
}

function Entry({ name, text, translation, target, checks }: EntryProps) {
  return (
    <div className={styles.entry}>
      <dt>
        <code>{name}</code>
        {checks.map(({ check, segment }) => (
          <Tag key={`${check} ${segment}`} tone="warning">
            {t(`translate.check.${check}`)}
          </Tag>
        ))}
      </dt>
      <dd lang={target} dir="auto">
        {translation}
      </dd>
      <dd className="muted" dir="auto">
        {text}
      </dd>
      {checks.map((failed) => (
        <dd key={`${failed.check} ${failed.segment}`} className={styles.bad}>
          {checkText(failed)}
        </dd>
      ))}
    </div>
  );
}
