/** Loading skeleton of a text. */

import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";

import { t } from "@/i18n";

import styles from "./Open.module.css";

const LINES = [96, 88, 92, 60, 0, 94, 90, 45];

export function PageSkeleton({ back }: { back: ReactNode }) {
  return (
    <div>
      <div className="sr-only" role="status">
        <h1>{t("state.loading")}</h1>
      </div>
      <div className={styles.toolbar}>
        {back}
        <Skeleton height={14} width={120} />
      </div>
      <div className={styles.reading}>
        <Skeleton height={30} width="62%" mb={16} />
        <Skeleton height={14} width="40%" mb={32} />
        {LINES.map((width, index) => (
          <Skeleton key={index} height={13} width={`${width}%`} mb={13} visible={width > 0} />
        ))}
      </div>
    </div>
  );
}
