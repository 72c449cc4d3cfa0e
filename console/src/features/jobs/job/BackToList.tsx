/** Back to the list: an arrow on narrow screens, otherwise a close button. */

import { ActionIcon } from "@mantine/core";
import { IconChevronLeft, IconX } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";

import type { Filters } from "../filters";
import styles from "./Job.module.css";

export function BackToList() {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={36}
      aria-label={t("jobs.back")}
      renderRoot={(props) => <Link {...props} to="/settings/team/jobs" search={(now: Filters) => now} />}
    >
      <IconChevronLeft aria-hidden size={20} className={styles.arrow} />
      <IconX aria-hidden size={18} className={styles.cross} />
    </ActionIcon>
  );
}
