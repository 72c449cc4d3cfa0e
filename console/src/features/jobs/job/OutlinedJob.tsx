/** A job whose subject the user can't read, or a teammate's without one: only its status. */

import { Alert } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";

import { t } from "@/i18n";

import type { JobOutline } from "../queries";
import { Cancel } from "./JobActions";
import { JobFrame } from "./JobFrame";

export function OutlinedJob({ job }: { job: JobOutline }) {
  return (
    <JobFrame job={job} actions={job.state === "queued" && <Cancel job={job} mine={false} />}>
      <Alert color="gray" role="note" icon={<IconLock aria-hidden size={18} />} title={t("jobs.outline")}>
        {t("jobs.outline.words")}
      </Alert>
    </JobFrame>
  );
}
