/** Cancels a run that goes on, resumes one that failed or was cancelled, or starts another with its input. */

import { Button } from "@mantine/core";
import { IconPlayerPlay, IconPlayerStop, IconRepeat } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Dialog } from "@/ui/Dialog";
import { Fault } from "@/ui/forms";
import { notice } from "@/ui/notice";
import { Word } from "@/ui/topbar/Word";

import type { RunDetail, RunOutline } from "../api";
import { useCancel, useResume } from "../queries";

export function RunActions({ run }: { run: RunDetail | RunOutline }) {
  const { can, me } = useSession();
  const mine = run.view === "full" && run.owner === me.user.id;
  if (!can("workflows:run")) return null;
  if (run.state === "running") return mine || can("settings:manage") ? <Cancel run={run} /> : null;
  if (run.view !== "full") return null;
  return (
    <>
      <Button variant="default" size="compact-md" renderRoot={(props) => <Link {...props} to="/workflows/spec/$slug/run" params={{ slug: run.slug }} search={{ from: run.id } as never} />}>
        <IconRepeat aria-hidden size={16} />
        <Word>{t("workflows.run.again")}</Word>
      </Button>
      {run.state !== "succeeded" && <Resume run={run} />}
    </>
  );
}

function Cancel({ run }: { run: RunDetail | RunOutline }) {
  const cancel = useCancel();
  const [asking, setAsking] = useState(false);

  async function perform(): Promise<void> {
    await cancel.mutateAsync(run.id);
    notice(t("workflows.cancelled"));
  }

  return (
    <>
      <Button variant="default" size="compact-md" onClick={() => setAsking(true)}>
        <IconPlayerStop aria-hidden size={16} />
        <Word>{t("workflows.cancel")}</Word>
      </Button>
      {asking && (
        <ConfirmDialog title={t("workflows.cancel.title")} confirm={t("workflows.cancel")} dismiss={t("workflows.cancel.keep")} perform={perform} onClose={() => setAsking(false)}>
          <p>{t("workflows.cancel.words")}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function Resume({ run }: { run: RunDetail }) {
  const resume = useResume();
  const go = useNavigate();

  async function perform(): Promise<void> {
    const { id } = await resume.mutateAsync(run);
    notice(t("workflows.resumed"));
    await go({ to: "/workflows/runs/$id", params: { id } });
  }

  return (
    <>
      <Button size="compact-md" loading={resume.isPending} onClick={() => void perform().catch(() => undefined)}>
        <IconPlayerPlay aria-hidden size={16} />
        <Word>{t("workflows.resume")}</Word>
      </Button>
      {resume.isError && (
        <Dialog title={t("workflows.resume.refused")} onClose={resume.reset}>
          <Fault fault={resume.error} />
        </Dialog>
      )}
    </>
  );
}
