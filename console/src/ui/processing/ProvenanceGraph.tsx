/** What was made from what, drawn from left to right; on a phone from top to bottom. */

import { useElementSize } from "@mantine/hooks";
import { IconFile } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useId, type ReactNode } from "react";

import { t } from "@/i18n";
import { placeOfObject } from "@/ui/documents";
import { Tag } from "@/ui/Tag";

import { arrange, CARD, type Card } from "./arrange";
import styles from "./Provenance.module.css";
import type { Age, Derivation, Provenance } from "./provenance";
import { useMayRun } from "./queries";

export function ProvenanceGraph({ provenance }: { provenance: Provenance }) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const { height, cards, lines } = arrange(provenance, Math.max(width, 1));
  const arrow = useId();
  const here = provenance.files[0]?.id;
  return (
    <figure className={styles.graph} aria-label={t("processing.provenance")}>
      <div ref={ref} className={styles.field} style={{ height: width > 0 ? height : undefined }}>
        {width > 0 && (
          <>
            <svg width={width} height={height} aria-hidden>
              <marker id={arrow} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto" markerUnits="userSpaceOnUse">
                <path className={styles.arrow} d="M0 0 8 4 0 8z" />
              </marker>
              {lines.map(({ key, stale, d }) => (
                <path key={key} className={styles.line} data-stale={stale} d={d} markerEnd={`url(#${arrow})`} />
              ))}
            </svg>
            <ol className={styles.cards}>
              {cards.map((card) => (
                <li key={card.file.id} className={styles.card} data-here={card.file.id === here || undefined} style={{ left: card.x, top: card.y, width: card.width, height: CARD }}>
                  <Inside card={card} isHere={card.file.id === here} />
                </li>
              ))}
            </ol>
          </>
        )}
      </div>
      {provenance.isCut && <p className={styles.hint}>{t("processing.provenance.cut")}</p>}
    </figure>
  );
}

function Inside({ card: { file, made, age }, isHere }: { card: Card; isHere: boolean }) {
  return (
    <>
      <span className={styles.name}>
        <IconFile aria-hidden size={15} stroke={1.6} />
        {isHere ? (
          <b title={file.name}>{breakable(file.name)}</b>
        ) : (
          <Link {...placeOfObject(file.id)} title={file.name}>
            {breakable(file.name)}
          </Link>
        )}
      </span>
      <span className={styles.made}>
        {isHere && <span>{t("processing.here")}</span>}
        {made ? <MadeBy made={made} /> : !isHere && <span>{t("processing.source")}</span>}
        {age !== "current" && <AgeTag age={age} />}
        {made?.relative.edited && age === "current" && <Tag>{t("processing.edited")}</Tag>}
      </span>
    </>
  );
}

export function AgeTag({ age }: { age: Age }) {
  return <Tag tone={age === "current" ? "success" : "warning"}>{t(`processing.age.${age}`)}</Tag>;
}

/** A long name breaks after a dot or a dash. */
const breakable = (name: string): ReactNode => name.split(/(?<=[._-])/).map((part, place) => [place > 0 && <wbr key={place} />, part]);

/** The step that made it, as a link to its run. */
export function MadeBy({ made: { relative } }: { made: Derivation }) {
  const may = useMayRun();
  const step = relative.step ?? t("processing.step.unknown");
  if (!relative.run_id || !may.see) return <span>{step}</span>;
  return (
    <Link to="/workflows/runs/$id" params={{ id: relative.run_id }} aria-label={t("processing.step.run", { step })}>
      {step}
    </Link>
  );
}
