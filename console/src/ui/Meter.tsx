/** Usage bar next to the text that says the same. */

import styles from "./Meter.module.css";

interface Props {
  label: string;
  used: number;
  most: number;
}

export function Meter({ label, used, most }: Props) {
  const share = most > 0 ? Math.min(1, used / most) : 1;
  return (
    <span className={styles.meter} role="meter" aria-label={label} aria-valuemin={0} aria-valuemax={most} aria-valuenow={Math.min(used, most)}>
      <span className={styles.used} data-full={share >= 0.9 || undefined} style={{ width: `${share * 100}%` }} />
    </span>
  );
}
