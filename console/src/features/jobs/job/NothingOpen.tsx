/** Placeholder while no job is open, with keyboard shortcuts. */

import { IconListCheck } from "@tabler/icons-react";

import { t } from "@/i18n";
import { Empty } from "@/ui/states";

import { useFilters } from "../filters";
import { useMayAsk } from "../making";
import { useJobs } from "../queries";
import styles from "./Job.module.css";

export function NothingOpen() {
  const mayAsk = useMayAsk();
  const jobs = useJobs(useFilters());
  // An empty list has its own message.
  if (!jobs.data?.length) return null;
  return (
    <div className={styles.middle}>
      <Empty title={t("jobs.nothing_open")} icon={IconListCheck}>
        <ul className={styles.keys}>
          <li>
            <kbd>↑</kbd> <kbd>↓</kbd> <kbd>Enter</kbd> {t("jobs.nothing_open.walk")}
          </li>
          {mayAsk && (
            <li>
              <kbd>c</kbd> {t("jobs.nothing_open.new")}
            </li>
          )}
        </ul>
      </Empty>
    </div>
  );
}
