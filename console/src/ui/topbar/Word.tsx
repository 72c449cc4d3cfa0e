/** The text of a button in the bar beside its icon; where there is no room, only screen readers have it. */

import type { ReactNode } from "react";

import styles from "./TopBar.module.css";

export function Word({ children }: { children: ReactNode }) {
  return <span className={styles.word}>{children}</span>;
}
