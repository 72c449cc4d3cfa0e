/** A short word about a thing: its state, its kind. The word says it; the tone only helps to find it. */

import type { ReactNode } from "react";

import styles from "./Tag.module.css";

export type Tone = "plain" | "accent" | "success" | "warning" | "danger";

export function Tag({ tone = "plain", children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={styles.tag} data-tone={tone}>
      {children}
    </span>
  );
}
