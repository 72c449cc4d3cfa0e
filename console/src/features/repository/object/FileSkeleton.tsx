/** A file that is on its way. */

import { ItemSkeleton } from "@/ui/skeleton/ScreenSkeleton";
import { Skeleton } from "@/ui/skeleton/Skeleton";

import styles from "./Object.module.css";

export function FileSkeleton() {
  return (
    <ItemSkeleton>
      <div className={styles.waiting}>
        <Skeleton shape="page" />
      </div>
    </ItemSkeleton>
  );
}
