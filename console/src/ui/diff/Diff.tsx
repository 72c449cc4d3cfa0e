/** Diff of two texts, inline or side by side: marked by strike-through, underline and colour, and for screen readers. */

import { UnstyledButton } from "@mantine/core";
import { useMemo, useState } from "react";

import { t } from "@/i18n";
import { Segments } from "@/ui/Segments";

import styles from "./Diff.module.css";
import { compareTexts, counted, type Block, type Part } from "./words";

type Layout = "inline" | "sides";

interface Props {
  older: string;
  newer: string;
  /** Heading of each side. */
  heads: readonly [older: string, newer: string];
}

export function Diff({ older, newer, heads }: Props) {
  const [layout, setLayout] = useState<Layout>("inline");
  const blocks = useMemo(() => compareTexts(older, newer), [older, newer]);
  if (older === newer) return <p className="muted">{t("versions.same")}</p>;
  return (
    <div className={styles.diff} data-layout={layout}>
      <div className={styles.bar}>
        <p role="status">{t("versions.summary", counted(blocks))}</p>
        <Segments<Layout>
          className={styles.choice}
          aria-label={t("versions.layout")}
          value={layout}
          onChange={setLayout}
          data={[
            { value: "inline", label: t("versions.layout.inline") },
            { value: "sides", label: t("versions.layout.sides") },
          ]}
        />
      </div>
      {/* What scrolls must scroll by key too. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={styles.sheet} role="region" aria-label={t("versions.differences")} tabIndex={0}>
        {layout === "sides" && (
          <div className={styles.heads}>
            {heads.map((head) => (
              <b key={head}>{head}</b>
            ))}
          </div>
        )}
        {blocks.map((block, place) => (
          <Rows key={place} block={block} layout={layout} />
        ))}
      </div>
    </div>
  );
}

function Rows({ block, layout }: { block: Block; layout: Layout }) {
  const [unfolded, setUnfolded] = useState(false);
  if (block.kind === "folded") {
    if (unfolded) return block.lines.map((line, place) => <Same key={place} line={line} layout={layout} />);
    return (
      <UnstyledButton className={styles.fold} onClick={() => setUnfolded(true)}>
        {t("versions.equal", { count: block.lines.length })}
      </UnstyledButton>
    );
  }
  if (block.kind === "same") return <Same line={block.line} layout={layout} />;
  if (layout === "inline") {
    return (
      <p className={styles.line} data-changed>
        <Parts parts={block.parts} />
      </p>
    );
  }
  return (
    <div className={styles.row}>
      <p className={styles.line} data-changed={block.parts.some(({ kind }) => kind === "removed") || undefined}>
        <Parts parts={block.parts.filter(({ kind }) => kind !== "added")} />
      </p>
      <p className={styles.line} data-changed={block.parts.some(({ kind }) => kind === "added") || undefined}>
        <Parts parts={block.parts.filter(({ kind }) => kind !== "removed")} />
      </p>
    </div>
  );
}

function Same({ line, layout }: { line: string; layout: Layout }) {
  if (layout === "inline") return <p className={styles.line}>{line}</p>;
  return (
    <div className={styles.row}>
      <p className={styles.line}>{line}</p>
      <p className={styles.line} aria-hidden>
        {line}
      </p>
    </div>
  );
}

function Parts({ parts }: { parts: readonly Part[] }) {
  return parts.map(({ kind, text }, place) => {
    if (kind === "same") return <span key={place}>{text}</span>;
    const Change = kind === "removed" ? "del" : "ins";
    // Whole paragraphs removed and added go below each other.
    const apart = place > 0 && kind === "added" && parts.length === 2 && parts[0]?.kind === "removed";
    return (
      <Change key={place} className={apart ? styles.apart : undefined}>
        <span className="sr-only">{t(`versions.${kind}`)} </span>
        {text || "\u00a0"}
      </Change>
    );
  });
}
