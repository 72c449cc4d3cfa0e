/** A note that is on its way: bars where its toolbar, title and lines will stand. */

import { Skeleton } from "@mantine/core";

import { t } from "@/i18n";

import { BackToList } from "./BackToList";
import styles from "./OpenNote.module.css";

const LINES = [96, 88, 92, 60, 0, 94, 90, 45];

export function NoteSkeleton() {
  return (
    <div>
      <div className="sr-only" role="status">
        <h1>{t("state.loading")}</h1>
      </div>
      <div className={styles.toolbar}>
        <BackToList />
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
