/** Loading skeleton of a file. */

import { Skeleton } from "@mantine/core";

import { t } from "@/i18n";

import styles from "./Object.module.css";

export function FileSkeleton() {
  return (
    <div>
      <div className="sr-only" role="status">
        <h1>{t("state.loading")}</h1>
      </div>
      <div className={styles.waitingBar}>
        <Skeleton height={14} width={220} />
      </div>
      <div className={styles.preview}>
        <Skeleton height="100%" />
      </div>
    </div>
  );
}
