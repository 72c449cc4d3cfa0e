/** Adds an executor: connection, name, model and company. */

import { Button, TextInput } from "@mantine/core";

import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault, useSending } from "@/ui/forms";

import { Endpoint } from "./Endpoint";
import { ModeChoice } from "./ModeChoice";
import { useSetUp, type NewExecutor, type Plane } from "./queries";
import { EMPTY } from "./values";
import { WhoseChoice } from "./WhoseChoice";

const FIELDS = ["name", "model", "url", "key", "org_id"];

interface Props {
  plane: Plane;
  onClose: () => void;
  onMade: (executor: NewExecutor) => void;
}

export function NewExecutorDialog({ plane, onClose, onMade }: Props) {
  const setUp = useSetUp(plane);
  const { form, sending, fault, submit } = useSending(EMPTY, async ({ mode, name, model, url, key, org_id: org }) => {
    const endpoint = mode === "push" ? { url: url.trim(), key: key.trim() || null } : {};
    const request = { mode, name: name.trim(), model: model.trim() || null, org_id: org || null, ...endpoint };
    onMade(await setUp.mutateAsync(request));
    onClose();
  });
  return (
    <Dialog title={t("executors.new")} onClose={onClose} wide>
      <form onSubmit={submit}>
        <ModeChoice value={form.values.mode} onChange={(mode) => form.setFieldValue("mode", mode)} />
        <TextInput
          data-autofocus
          label={t("executors.new.name")}
          description={t("executors.new.name.hint")}
          placeholder={t("executors.new.name.example")}
          maxLength={80}
          required
          {...form.getInputProps("name")}
        />
        {form.values.mode === "push" && <Endpoint plane={plane} form={form} />}
        <TextInput
          label={t("executors.new.model")}
          description={t("executors.new.model.hint")}
          maxLength={200}
          {...form.getInputProps("model")}
        />
        {plane === "instance" && <WhoseChoice {...form.getInputProps("org_id")} />}
        <Fault fault={fault} fields={FIELDS} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" loading={sending}>
            {t("executors.new.do")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
