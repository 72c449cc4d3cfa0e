/** The user's translations, newest first. */

import { Link } from "@tanstack/react-router";

import { languageName, t } from "@/i18n";
import { Endless } from "@/ui/endless";
import { Failed, Loading } from "@/ui/states";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";

import { useHistory, type TranslationRecord } from "./queries";
import styles from "./Translate.module.css";

export function History({ open }: { open?: string }) {
  const history = useHistory();
  return (
    <section className={styles.history} aria-label={t("translate.history")}>
      <h2>{t("translate.history")}</h2>
      <p className="muted">{history.data?.length === 0 ? t("translate.history.none") : t("translate.history.words")}</p>
      {history.isPending && <Loading />}
      {history.isError && !history.data && <Failed error={history.error} again={() => void history.refetch()} />}
      <ul>
        {history.data?.map((record) => (
          <li key={record.id}>
            <Link
              to="/translate"
              search={{ mode: record.kind === "catalog" ? "catalog" : undefined, open: record.id }}
              className={styles.record}
              activeProps={{ "aria-current": undefined }}
              aria-current={record.id === open ? "true" : undefined}
            >
              <Record record={record} />
            </Link>
          </li>
        ))}
      </ul>
      <Endless query={history} />
    </section>
  );
}

function Record({ record: { kind, source, target, texts, checks, created_at: at } }: { record: TranslationRecord }) {
  const [first] = texts;
  return (
    <>
      <span className={styles.pair}>
        {t("translate.history.pair", { source: source ? languageName(source) : t("translate.language.unknown"), target: languageName(target) })}
        {kind === "catalog" && <Tag>{t("translate.history.catalog")}</Tag>}
        {checks.length > 0 && <Tag tone="warning">{t("translate.checks.count", { count: checks.length })}</Tag>}
        <Time at={at} />
      </span>
      <span className={styles.excerpts}>
        <span dir="auto" lang={source ?? undefined}>
          {first?.text}
        </span>
        <span dir="auto" lang={target}>
          {first?.translation}
        </span>
      </span>
    </>
  );
}
