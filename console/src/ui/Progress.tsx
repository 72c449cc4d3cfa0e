/** Progress bar, from 0 to 1. */

import { percent } from "./quantities";
import styles from "./Progress.module.css";

export function Progress({ label, share }: { label: string; share: number }) {
  const part = Math.max(0, Math.min(1, share));
  return (
    <span className={styles.progress}>
      <span className={styles.track} role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(part * 100)}>
        <span className={styles.done} style={{ width: `${part * 100}%` }} />
      </span>
      <span className={styles.words} aria-hidden>
        {percent(part)}
      </span>
    </span>
  );
}
