/** Jobs in progress, at a glance: how many there are, and behind it the latest few. */

import { ActionIcon } from "@mantine/core";
import { IconActivity } from "@tabler/icons-react";
import { Suspense } from "react";

import { number, t } from "@/i18n";
import { useLate } from "@/ui/late/useLate";
import { lazily } from "@/ui/lazily";

import styles from "./Activity.module.css";
import { useActiveJobs } from "./useActiveJobs";

const load = () => import("./LatestJobs");
const LatestJobs = lazily(load);

export function Activity() {
  const { button, wanted, late } = useLate(load, "dialog");
  const { count, hasMore } = useActiveJobs(late.opened);
  const label = t("activity.label", { count });
  return (
    <>
      <ActionIcon {...button} variant="subtle" color="gray" size={36} className={styles.button} aria-label={label} title={label}>
        <IconActivity aria-hidden size={18} stroke={1.6} />
        {count > 0 && (
          <span className={styles.count} aria-hidden>
            {number(count)}
            {hasMore && "+"}
          </span>
        )}
      </ActionIcon>
      {wanted && (
        <Suspense>
          <LatestJobs late={late} />
        </Suspense>
      )}
    </>
  );
}
