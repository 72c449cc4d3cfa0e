/** Short label for a status or type. The text carries the meaning; the colour only helps to spot it. */

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
