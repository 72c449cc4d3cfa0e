/** Asks a model as a job: question, priority and start time. */

import { Button, Input, Select, Textarea, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";

import { instantOf, t } from "@/i18n";
import { useSession } from "@/session";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault, useSending } from "@/ui/forms";
import { Segments } from "@/ui/Segments";

import type { Filters } from "../filters";
import { useAskModel, type ChatRequest } from "../queries";
import { found, keep, NOTHING, type Draft } from "./draft";
import { useExecutorChoice } from "./executorChoice";

export function NewJobDialog({ onClose }: { onClose: () => void }) {
  const { me } = useSession();
  const go = useNavigate();
  const ask = useAskModel();
  const executors = useExecutorChoice();
  const [draft] = useState(() => found(me.user.id, localStorage));
  const { form, sending, fault, submit } = useSending(draft, async (values) => {
    const { id } = await ask.mutateAsync(requestOf(values));
    keep(me.user.id, NOTHING, localStorage);
    onClose();
    await go({ to: "/settings/team/jobs/$id", params: { id }, search: (now: Filters) => now });
  });
  useEffect(() => keep(me.user.id, form.values, localStorage), [me.user.id, form.values]);
  return (
    <Dialog title={t("jobs.new")} onClose={onClose} wide>
      <form onSubmit={submit}>
        <Textarea
          label={t("jobs.new.prompt")}
          description={t("jobs.new.prompt.hint")}
          autosize
          minRows={4}
          maxRows={14}
          required
          {...form.getInputProps("prompt")}
        />
        <Input.Wrapper label={t("jobs.new.priority")} labelElement="div" description={t("jobs.new.priority.hint")}>
          <Segments
            fullWidth
            aria-label={t("jobs.new.priority")}
            data={(["first", "normal", "last"] as const).map((name, place) => ({ value: String(place), label: t(`jobs.priority.${name}`) }))}
            {...form.getInputProps("priority")}
          />
        </Input.Wrapper>
        <TextInput type="datetime-local" label={t("jobs.new.run_at")} description={t("jobs.new.run_at.hint")} {...form.getInputProps("run_at")} />
        {executors.length > 0 && (
          <Select
            label={t("jobs.new.executor")}
            data={[{ value: "", label: t("jobs.new.executor.any") }, ...executors]}
            allowDeselect={false}
            {...form.getInputProps("executor")}
          />
        )}
        <Fault fault={fault} fields={["prompt", "run_at", "executor"]} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" loading={sending}>
            {t("jobs.new.do")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function requestOf({ prompt, priority, run_at: runAt, executor }: Draft): ChatRequest {
  return {
    prompt,
    priority: Number(priority),
    run_at: runAt ? new Date(instantOf(runAt)).toISOString() : undefined,
    executor: executor || undefined,
  };
}
