/** A new executor: how work reaches it, its name, its model, and for whom it works. */

import { Button, TextInput } from "@mantine/core";

import { t } from "@/i18n";
import { conflictAt } from "@/ui/conflict";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault, useSending } from "@/ui/forms";

import { ModeChoice, MODES } from "./ModeChoice";
import { useSetUp, type NewExecutor, type Plane } from "./queries";
import { EVERYBODY, WhoseChoice } from "./WhoseChoice";

interface Props {
  plane: Plane;
  onClose: () => void;
  onMade: (executor: NewExecutor) => void;
}

export function NewExecutorDialog({ plane, onClose, onMade }: Props) {
  const setUp = useSetUp(plane);
  const { form, sending, fault, submit } = useSending(
    { mode: MODES[0], name: "", model: "", org_id: EVERYBODY },
    async ({ mode, name, model, org_id: org }) => {
      const wish = { mode, name: name.trim(), model: model.trim() || null, org_id: org || null };
      onMade(await setUp.mutateAsync(wish).catch(conflictAt("name")));
      onClose();
    },
  );
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
        <TextInput
          label={t("executors.new.model")}
          description={t("executors.new.model.hint")}
          maxLength={200}
          {...form.getInputProps("model")}
        />
        {plane === "instance" && <WhoseChoice {...form.getInputProps("org_id")} />}
        <Fault fault={fault} fields={["name", "model", "org_id"]} />
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
