/** A screen's frame: its title, what can be done on it, and its content at a width that can be read. */

import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";

import { useBrand } from "@/theme/brand";

import styles from "./Page.module.css";

interface Props {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}

export function Page({ title, intro, actions, wide, children }: Props) {
  const brand = useBrand();
  useDocumentTitle(`${title} · ${brand.title}`);
  return (
    <div className={wide ? styles.wide : styles.page}>
      <header className={styles.head}>
        <div>
          <h1>{title}</h1>
          {intro && <p className="muted">{intro}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function Section({ title, intro, children }: { title: string; intro?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={title}>
      <div>
        <h2>{title}</h2>
        {intro && <p className="muted">{intro}</p>}
      </div>
      <div>{children}</div>
    </section>
  );
}
