/** Two texts row by row: lines on one side only have a sign, a colour and text for screen readers. */

import { UnstyledButton } from "@mantine/core";
import { useState } from "react";

import { t } from "@/i18n";

import type { Row } from "./compare";
import styles from "./ConflictDialog.module.css";

/** Prefix of a line on one side only. */
export const SIGNS = { mine: "+", theirs: "~" } as const;

export function SideBySide({ rows }: { rows: Row[] }) {
  return (
    // Scrollable by keyboard, too.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles.rows} role="region" aria-label={t("writing.conflict.compare")} tabIndex={0}>
      {rows.map((row, index) => (
        <Lines key={index} row={row} />
      ))}
    </div>
  );
}

function Lines({ row }: { row: Row }) {
  const [unfolded, setUnfolded] = useState(false);
  if (row.kind === "folded") {
    if (unfolded) return row.lines.map((line, index) => <Same key={index} line={line} />);
    return (
      <UnstyledButton className={styles.fold} onClick={() => setUnfolded(true)}>
        {t("writing.conflict.equal", { count: row.lines.length })}
      </UnstyledButton>
    );
  }
  if (row.kind === "same") return <Same line={row.line} />;
  return (
    <div className={styles.row}>
      <Version side="mine" line={row.mine} />
      <Version side="theirs" line={row.theirs} />
    </div>
  );
}

function Same({ line }: { line: string }) {
  return (
    <div className={styles.row}>
      <span className={styles.cell}>
        <span className={styles.sign} aria-hidden />
        {line}
      </span>
      <span className={`${styles.cell} ${styles.twin}`} aria-hidden>
        <span className={styles.sign} />
        {line}
      </span>
    </div>
  );
}

export function Version({ side, line }: { side: "mine" | "theirs"; line?: string }) {
  if (line === undefined) return <span className={`${styles.cell} ${styles.absent}`} />;
  return (
    <span className={`${styles.cell} ${styles[side]}`}>
      <span className={styles.sign} aria-hidden>
        {SIGNS[side]}
      </span>
      <span className="sr-only">{t(`writing.conflict.only.${side}`)}</span>
      {line}
    </span>
  );
}
