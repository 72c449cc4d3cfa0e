/** A teammate's job: only its status, and who can see more. */

import { Alert } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";

import { t } from "@/i18n";

import type { JobOutline } from "../queries";
import { JobFrame } from "./JobFrame";

export function OutlinedJob({ job }: { job: JobOutline }) {
  return (
    <JobFrame job={job}>
      <Alert color="gray" role="note" icon={<IconLock aria-hidden size={18} />} title={t("jobs.outline")}>
        {t("jobs.outline.words")}
      </Alert>
    </JobFrame>
  );
}
