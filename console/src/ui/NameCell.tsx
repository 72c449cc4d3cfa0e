/** A name in a table cell, with a second line to tell items with the same name apart. */

import type { ReactNode } from "react";

import styles from "./NameCell.module.css";

export function NameCell({ name, children }: { name: string; children: ReactNode }) {
  return (
    <span className={styles.named}>
      <b>{name}</b>
      <span className={styles.below}>{children}</span>
    </span>
  );
}
