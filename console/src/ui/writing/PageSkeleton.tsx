/** A text that is on its way. */

import type { ReactNode } from "react";

import { ItemSkeleton } from "@/ui/skeleton/ScreenSkeleton";
import { Skeleton } from "@/ui/skeleton/Skeleton";

import styles from "./Open.module.css";

export function PageSkeleton({ back }: { back: ReactNode }) {
  return (
    <ItemSkeleton back={back}>
      <div className={styles.reading}>
        <Skeleton shape="text" />
      </div>
    </ItemSkeleton>
  );
}
