/** A screen whose code, or whose content, is on its way. */

import type { ReactNode } from "react";

import { t } from "@/i18n";
import page from "@/ui/Page.module.css";

import styles from "./ScreenSkeleton.module.css";
import { Skeleton } from "./Skeleton";

export function ScreenSkeleton() {
  return (
    <div className={page.page}>
      <Named />
      <div className={styles.title} />
      <Skeleton shape="table" />
    </div>
  );
}

/** The frame of an open item: its bar, with the way back, and the item. */
export function ItemSkeleton({ back, children }: { back?: ReactNode; children: ReactNode }) {
  return (
    <div>
      <Named />
      <div className={styles.bar}>
        {back}
        <div className={styles.here} />
      </div>
      {children}
    </div>
  );
}

/** Every screen has a heading. */
const Named = () => <h1 className="sr-only">{t("state.loading")}</h1>;
