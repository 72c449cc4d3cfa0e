/** The sentences that mention an entity, by document; each opens its passage in the version it's from. */

import { IconFileText } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { dateTime, t } from "@/i18n";
import { screenOf } from "@/ui/documents";
import { Endless, type Pages } from "@/ui/endless";
import { Tag } from "@/ui/Tag";

import { useAddress, type Address } from "../address";
import type { Mention } from "../api";
import { placeOfQuote, type Cited } from "./documents";
import styles from "./Entity.module.css";

/** Id of the part of the page that is about a document. */
export const placeOfDocument = (id: string): string => `evidence-${id}`;

export function Evidence({ documents, pages }: { documents: readonly Cited[]; pages: Pages }) {
  const { passage } = useAddress();
  return (
    <section className={styles.section} aria-label={t("graph.evidence")}>
      <h2>{t("graph.evidence")}</h2>
      <ol className={styles.documents}>
        {documents.map((document) => (
          <Document key={document.object_id} document={document} opened={passage} />
        ))}
      </ol>
      <Endless query={pages} />
    </section>
  );
}

function Document({ document, opened }: { document: Cited; opened?: string }) {
  const { object_id: id, title, at, version, outdated, mentions, quotes, content_type: contentType } = document;
  return (
    <li id={placeOfDocument(id)} tabIndex={-1} className={styles.document}>
      <div className={styles.source}>
        <IconFileText aria-hidden size={16} />
        <Link to={screenOf(contentType)} params={{ id }}>
          {title}
        </Link>
        <time dateTime={at} className="muted">
          {dateTime(at)}
        </time>
        <span className="muted">{t("versions.version", { version })}</span>
        {outdated && <Tag tone="warning">{t("graph.evidence.outdated")}</Tag>}
      </div>
      <ul className={styles.sentences}>
        {quotes.map((mention) => (
          <Sentence key={mention.id} mention={mention} isOpen={placeOfQuote(mention) === opened} />
        ))}
      </ul>
      {quotes.length < mentions && <p className={styles.rest}>{t("graph.evidence.rest", { count: mentions - quotes.length })}</p>}
    </li>
  );
}

function Sentence({ mention, isOpen }: { mention: Mention; isOpen: boolean }) {
  return (
    <li>
      <Link
        to="."
        search={(now: Address) => ({ ...now, passage: placeOfQuote(mention) })}
        replace
        resetScroll={false}
        className={styles.sentence}
        activeProps={{ "aria-current": undefined }}
        aria-current={isOpen ? "true" : undefined}
      >
        <q>{mention.quote}</q>
      </Link>
    </li>
  );
}
