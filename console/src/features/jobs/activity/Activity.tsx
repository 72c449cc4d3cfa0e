/** Jobs in progress, at a glance: how many there are, and the latest few. */

import { ActionIcon, Popover } from "@mantine/core";
import { IconActivity } from "@tabler/icons-react";
import { useState } from "react";

import { number, t } from "@/i18n";

import { useActiveJobs } from "../queries";
import styles from "./Activity.module.css";
import { LatestJobs } from "./LatestJobs";

export function Activity() {
  const [opened, setOpened] = useState(false);
  const { count, hasMore } = useActiveJobs(opened);
  const label = t("activity.label", { count });
  return (
    <Popover opened={opened} onChange={setOpened} position="top-start" width={360} shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          className={styles.button}
          aria-label={label}
          title={label}
          onClick={() => setOpened(!opened)}
        >
          <IconActivity aria-hidden size={18} stroke={1.6} />
          {count > 0 && (
            <span className={styles.count} aria-hidden>
              {number(count)}
              {hasMore && "+"}
            </span>
          )}
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown className={styles.dropdown}>
        {opened && <LatestJobs onLeave={() => setOpened(false)} />}
      </Popover.Dropdown>
    </Popover>
  );
}
