/** A part of the home screen, under its heading. */

import { Button } from "@mantine/core";
import type { ReactNode } from "react";

import { t } from "@/i18n";

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

interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** The end of a list of which there is more. */
export function More({ pages }: { pages: Pages }) {
  if (!pages.hasNextPage) return null;
  return (
    <Button variant="subtle" size="compact-sm" className={styles.more} loading={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
      {t("home.activity.more")}
    </Button>
  );
}
