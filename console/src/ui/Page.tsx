/** Page layout: title, actions and content. The only place that sets the left edge and the width. */

import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";

import { useBrand } from "@/theme/brand";

import styles from "./Page.module.css";

interface Props {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, intro, actions, children }: Props) {
  const brand = useBrand();
  useDocumentTitle(`${title} · ${brand.title}`);
  return (
    <div className={styles.page} data-page>
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
