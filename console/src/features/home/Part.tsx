/** A part of the home screen, under its heading. */

import type { ReactNode } from "react";

import styles from "./HomeScreen.module.css";

interface Props {
  title: string;
  /** Beside the heading. */
  action?: ReactNode;
  children: ReactNode;
}

export function Part({ title, action, children }: Props) {
  return (
    <section className={styles.part} aria-label={title}>
      <div className={styles.head}>
        <h2>{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}
