/** How much of a language is translated, as a bar. The words beside it say the same. */

import type { Counts } from "./api";
import styles from "./CoverageBar.module.css";

const PARTS = ["approved", "machine", "stale"] as const;

export function CoverageBar({ counts }: { counts: Counts }) {
  return (
    <span className={styles.bar} aria-hidden>
      {PARTS.filter((part) => counts[part] > 0).map((part) => (
        <span key={part} className={styles.part} data-part={part} style={{ flexGrow: counts[part] }} />
      ))}
      {counts.missing > 0 && <span style={{ flexGrow: counts.missing }} />}
    </span>
  );
}

/** Rounded down: only a complete language has 100 %. */
export const shareApproved = ({ approved, total }: Counts): number => (total > 0 ? Math.floor((approved / total) * 100) / 100 : 1);
