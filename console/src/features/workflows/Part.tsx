/** A part of a page, under its own heading. */

import { useId, type ReactNode } from "react";

import styles from "./Area.module.css";

export function Part({ title, intro, children }: { title: string; intro?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.part} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {intro && <p className="muted">{intro}</p>}
      {children}
    </section>
  );
}
