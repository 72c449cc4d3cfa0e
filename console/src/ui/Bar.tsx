/** A number with a small bar below, so that large values in a column stand out. */

import type { ReactNode } from "react";

import styles from "./Bar.module.css";

export function Bar({ share, children }: { share: number; children: ReactNode }) {
  const width = Number.isFinite(share) ? Math.max(0, Math.min(1, share)) * 100 : 0;
  return (
    <span className={styles.value}>
      {children}
      <span className={styles.track} aria-hidden>
        <span className={styles.bar} style={{ width: `${width}%` }} />
      </span>
    </span>
  );
}
