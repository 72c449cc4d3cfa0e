/** When an entity is mentioned, by the dates of the documents; a bar leads to the documents of its time. */

import { dateFormat, t } from "@/i18n";

import styles from "./Entity.module.css";
import { placeOfDocument } from "./Evidence";
import { spansOf, type Cited, type Span } from "./documents";

export function Timeline({ documents }: { documents: readonly Cited[] }) {
  const spans = spansOf(documents);
  const highest = Math.max(...spans.map(({ mentions }) => mentions));
  const [first, last] = [spans[0], spans.at(-1)];
  if (!first || !last) return null;
  const day = dayOf(last.until - first.from);
  return (
    <section className={styles.section} aria-label={t("graph.timeline")}>
      <h2>{t("graph.timeline")}</h2>
      <ol className={styles.timeline}>
        {spans.map((span) => (
          <li key={span.from}>{span.mentions > 0 && <Bar span={span} share={span.mentions / highest} day={day} />}</li>
        ))}
      </ol>
      <p className={styles.axis} aria-hidden>
        <span>{day.format(first.from)}</span>
        <span>{day.format(last.until)}</span>
      </p>
    </section>
  );
}

function Bar({ span, share, day }: { span: Span; share: number; day: Intl.DateTimeFormat }) {
  const first = span.documents[0];
  const label = t("graph.timeline.span", {
    when: day.formatRange(span.from, span.until), mentions: span.mentions, documents: span.documents.length,
  }); // prettier-ignore
  const show = (): void => {
    const place = first && document.getElementById(placeOfDocument(first.object_id));
    place?.scrollIntoView({ block: "start" });
    place?.focus({ preventScroll: true });
  };
  return (
    <button type="button" className={styles.bar} aria-label={label} title={label} onClick={show}>
      <span style={{ height: `${Math.max(12, share * 100)}%` }} />
    </button>
  );
}

const HOUR = 3_600_000;

/** As exact as the whole time needs. */
function dayOf(length: number): Intl.DateTimeFormat {
  if (length < HOUR) return dateFormat({ timeStyle: "medium" });
  if (length < 48 * HOUR) return dateFormat({ dateStyle: "medium", timeStyle: "short" });
  return dateFormat({ dateStyle: "medium" });
}
