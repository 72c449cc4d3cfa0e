/** What stands in place of the shares until they are loaded: as many rows as most items have. */

import { Skeleton } from "@mantine/core";

import { t } from "@/i18n";

import styles from "./Sharing.module.css";

export function SharingSkeleton() {
  return (
    <div className={styles.sharing}>
      <p className="sr-only" role="status">
        {t("state.loading")}
      </p>
      <Skeleton height={36} />
      <Skeleton height={36} />
      <RowSkeleton />
      <RowSkeleton />
    </div>
  );
}

export function RowSkeleton() {
  return (
    <div className={styles.waiting} aria-hidden>
      <Skeleton circle height={32} width={32} />
      <span>
        <Skeleton height={12} width="55%" />
        <Skeleton height={10} width="35%" />
      </span>
    </div>
  );
}
