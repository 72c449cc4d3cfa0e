/** Job actions: cancel while queued, retry when finished. */

import { Button } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Dialog } from "@/ui/Dialog";
import { Fault } from "@/ui/forms";
import { notice } from "@/ui/notice";

import type { Filters } from "../filters";
import { useMayAsk } from "../making";
import { useCancel, useRetry, type Job, type JobOutline } from "../queries";
import { chatInputOf } from "../shapes";

export function JobActions({ job }: { job: Job }) {
  const { me } = useSession();
  if (job.state === "queued") return <Cancel job={job} mine={job.owner === me.user.id} />;
  return job.state === "running" ? null : <Retry job={job} />;
}

/** Only for the requester, and for managers of the team. */
export function Cancel({ job, mine }: { job: Job | JobOutline; mine: boolean }) {
  const { can } = useSession();
  const [asking, setAsking] = useState(false);
  const cancel = useCancel();

  async function perform(): Promise<void> {
    await cancel.mutateAsync(job.id);
    notice(t("jobs.cancel.done"));
  }

  if (!mine && !can("settings:manage")) return null;
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setAsking(true)}>
        {t("jobs.cancel")}
      </Button>
      {asking && (
        <ConfirmDialog
          title={t("jobs.cancel.title")}
          confirm={t("jobs.cancel")}
          dismiss={t("jobs.cancel.keep")}
          perform={perform}
          onClose={() => setAsking(false)}
        >
          <p>{t("jobs.cancel.words")}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** Only if the user could start the same job: choosing an executor is for operators. */
function useMayRetry(job: Job): boolean {
  const { can } = useSession();
  const mayAsk = useMayAsk();
  const chat = chatInputOf(job.input);
  return chat ? mayAsk && (!chat.executor || can("instance:manage")) : can("chat:use");
}

function Retry({ job }: { job: Job }) {
  const go = useNavigate();
  const retry = useRetry();
  if (!useMayRetry(job)) return null;

  async function perform(): Promise<void> {
    const { id } = await retry.mutateAsync(job.id);
    notice(t("jobs.retry.done"));
    await go({ to: "/settings/team/jobs/$id", params: { id }, search: (now: Filters) => now });
  }

  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconRefresh aria-hidden size={14} />}
        loading={retry.isPending}
        onClick={() => void perform().catch(() => undefined)}
      >
        {t("jobs.retry")}
      </Button>
      {retry.isError && (
        <Dialog title={t("jobs.retry.refused")} onClose={retry.reset}>
          <Fault fault={retry.error} />
        </Dialog>
      )}
    </>
  );
}
