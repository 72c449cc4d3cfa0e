/** A name in a table, and in small below it what tells it from others of that name. */

import type { ReactNode } from "react";

import styles from "./Named.module.css";

export function Named({ name, children }: { name: string; children: ReactNode }) {
  return (
    <span className={styles.named}>
      <b>{name}</b>
      <span className={styles.below}>{children}</span>
    </span>
  );
}
