/** Quota test: sends text that counts like a model request, and shows the cost. */

import { Button, Textarea } from "@mantine/core";
import { useState } from "react";

import { number, t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault, useSending } from "@/ui/forms";

import { useEcho, type Answer } from "./queries";
import { trying } from "./trying";
import styles from "./Usage.module.css";

export function Trying() {
  return trying.useOpened() ? <EchoDialog onClose={trying.close} /> : null;
}

function EchoDialog({ onClose }: { onClose: () => void }) {
  const echo = useEcho();
  const [answers, setAnswers] = useState<readonly Answer[]>([]);
  const { form, sending, fault, submit } = useSending({ prompt: t("usage.try.example") }, async ({ prompt }) => {
    const answered = await echo.mutateAsync(prompt);
    setAnswers((before) => [...before, answered]);
  });
  return (
    <Dialog title={t("usage.try")} onClose={onClose}>
      <p className="muted">{t("usage.try.words")}</p>
      <form onSubmit={submit}>
        <Textarea label={t("usage.try.text")} autosize minRows={2} maxRows={8} required {...form.getInputProps("prompt")} />
        <Spent answers={answers} />
        <Fault fault={fault} fields={["prompt"]} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.close")}
          </Button>
          <Button type="submit" loading={sending}>
            {t("usage.try.do")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Spent({ answers }: { answers: readonly Answer[] }) {
  const last = answers.at(-1);
  const all = answers.reduce((sum, { usage }) => sum + usage.total_tokens, 0);
  return (
    <div role="status">
      {last && (
        <div className={styles.echo}>
          <p className={styles.said}>{last.text}</p>
          <b>{t("usage.try.cost", { tokens: last.usage.total_tokens })}</b>
          {answers.length > 1 && <p className="muted">{t("usage.try.sum", { requests: number(answers.length), tokens: number(all) })}</p>}
        </div>
      )}
    </div>
  );
}
