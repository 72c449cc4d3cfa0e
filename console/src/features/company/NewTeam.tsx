/** Creates a team; its creator becomes the owner. */

import { Button, TextInput } from "@mantine/core";

import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault, useSending } from "@/ui/forms";
import { notice } from "@/ui/notice";
import { SlugInput } from "@/ui/SlugInput";

import { useCreateTeam } from "./queries";

const LONGEST = 80;

export function NewTeam({ onClose }: { onClose: () => void }) {
  const create = useCreateTeam();
  const { form, sending, fault, submit } = useSending({ name: "", slug: "" }, async ({ name, slug }) => {
    const team = await create.mutateAsync({ name, ...(slug ? { slug } : {}) });
    notice(t("company.team.made", { team: team.name }));
    onClose();
  });
  return (
    <Dialog title={t("company.team.new")} onClose={onClose}>
      <p className="muted">{t("company.team.words")}</p>
      <form onSubmit={submit}>
        <TextInput
          label={t("company.team.name")}
          required
          maxLength={LONGEST}
          placeholder={t("company.team.example")}
          {...form.getInputProps("name")}
        />
        <SlugInput label={t("company.slug")} name={form.values.name} {...form.getInputProps("slug")} value={form.values.slug} />
        <Fault fault={fault} fields={["name", "slug"]} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" loading={sending}>
            {t("company.team.create")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
