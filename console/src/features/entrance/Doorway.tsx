/** Layout of pages before sign-in: branding and one form. */

import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";

import { useBrand } from "@/theme/brand";
import { Mark } from "@/ui/Mark";

import styles from "./Doorway.module.css";
import { LanguageChoice } from "./LanguageChoice";

export function Doorway({ title, intro, children }: { title: string; intro?: ReactNode; children: ReactNode }) {
  const brand = useBrand();
  useDocumentTitle(`${title} · ${brand.title}`);
  return (
    <main className={styles.outside}>
      <div className={styles.card}>
        <div className={styles.brand}>
          <Mark />
          <div>
            <b>{brand.title}</b>
            {brand.tagline && <span>{brand.tagline}</span>}
          </div>
        </div>
        <h1>{title}</h1>
        {intro && <p className="muted">{intro}</p>}
        {children}
        <LanguageChoice />
      </div>
    </main>
  );
}
