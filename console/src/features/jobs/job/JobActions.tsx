/** Job actions: cancel while queued, stop while it answers, retry or continue when finished. */

import { Button } from "@mantine/core";
import { IconPlayerPlay, IconPlayerStop, IconRefresh, type Icon } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { t } from "@/i18n";
import { allowed } from "@/navigation/tables";
import { useSession } from "@/session";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Dialog } from "@/ui/Dialog";
import { Fault } from "@/ui/forms";
import { notice } from "@/ui/notice";

import { useContinue } from "../continuing";
import type { Filters } from "../filters";
import { RUNNING, useMayAsk } from "../making";
import { useCancel, useRetry, useStop, type Job, type JobOutline } from "../queries";
import { chatInputOf } from "../shapes";
import { canContinue, turnKindOf } from "../turns";

export function JobActions({ job }: { job: Job }) {
  const { me } = useSession();
  if (job.state === "queued") return <Cancel job={job} mine={job.owner === me.user.id} />;
  if (turnKindOf(job.kind)) return <TurnActions job={job} />;
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
  const show = useShow();
  const retry = useRetry();
  if (!useMayRetry(job)) return null;

  async function perform(): Promise<void> {
    const { id } = await retry.mutateAsync(job.id);
    notice(t("jobs.retry.done"));
    await show(id);
  }

  return (
    <Act icon={IconRefresh} act={retry} refused={t("jobs.retry.refused")} perform={perform}>
      {t("jobs.retry")}
    </Act>
  );
}

/** A turn starts at once and can't be queued again: it is stopped, or continued. */
function TurnActions({ job }: { job: Job }) {
  const session = useSession();
  if (job.owner !== session.me.user.id) return null;
  if (job.state === "running") return <Stop job={job} />;
  return canContinue(job) && allowed(RUNNING, session) ? <Continue job={job} /> : null;
}

function Stop({ job }: { job: Job }) {
  const stop = useStop();
  return (
    <Act icon={IconPlayerStop} act={stop} refused={t("jobs.stop.refused")} perform={() => stop.mutateAsync(job.id)}>
      {t("jobs.stop")}
    </Act>
  );
}

function Continue({ job }: { job: Job }) {
  const show = useShow();
  const more = useContinue();

  async function perform(): Promise<void> {
    const id = await more.mutateAsync(job);
    notice(t("jobs.continue.done"));
    await show(id);
  }

  return (
    <Act icon={IconPlayerPlay} act={more} refused={t("jobs.continue.refused")} perform={perform}>
      {t("jobs.continue")}
    </Act>
  );
}

function useShow(): (id: string) => Promise<void> {
  const go = useNavigate();
  return (id) => go({ to: "/settings/team/jobs/$id", params: { id }, search: (now: Filters) => now });
}

interface ActProps {
  icon: Icon;
  act: { isPending: boolean; isError: boolean; error: Error | null; reset: () => void };
  /** Title of the refusal. */
  refused: string;
  perform: () => Promise<unknown>;
  children: string;
}

function Act({ icon: Picture, act, refused, perform, children }: ActProps) {
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<Picture aria-hidden size={14} />}
        loading={act.isPending}
        onClick={() => void perform().catch(() => undefined)}
      >
        {children}
      </Button>
      {act.isError && (
        <Dialog title={refused} onClose={act.reset}>
          <Fault fault={act.error} />
        </Dialog>
      )}
    </>
  );
}
