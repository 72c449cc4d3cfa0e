/** Adds a person to a team of the company; then shows their sign-in details once. */

import { Button, TextInput } from "@mantine/core";
import { useState } from "react";

import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault, useSending } from "@/ui/forms";
import { SignInDetails, type Access } from "@/ui/SignInDetails";
import { NewPassword } from "@/ui/NewPassword";
import { notice } from "@/ui/notice";

import { addingSomebody } from "./openings";
import { useAddColleague, type OrgRole } from "./queries";
import { TeamAndRole, type GivenRole } from "./TeamAndRole";

/** Mounted with the screen, so that the second dialog can follow the first. */
export function Adding() {
  const opened = addingSomebody.useOpened();
  const [added, setAdded] = useState<Access | null>(null);
  if (added) return <SignInDetails access={added} onClose={() => setAdded(null)} />;
  return opened ? <AddDialog onClose={addingSomebody.close} onAdded={setAdded} /> : null;
}

const FIELDS = ["username", "display_name", "team_id", "role", "org_role", "password"];
const START = { username: "", display_name: "", team_id: "", role: "member" as GivenRole, org_role: "", password: "" };

function AddDialog({ onClose, onAdded }: { onClose: () => void; onAdded: (added: Access) => void }) {
  const add = useAddColleague();
  const sending = useSending(START, async (values) => {
    if (!values.team_id) {
      form.setFieldError("team_id", t("company.add.team.missing"));
      return;
    }
    const password = values.password || undefined;
    const { member, link, isNew } = await add.mutateAsync({
      username: values.username.trim(),
      display_name: values.display_name.trim() || undefined,
      team_id: values.team_id,
      role: values.role,
      org_role: (values.org_role as OrgRole) || null,
      password,
    });
    onClose();
    if (isNew) onAdded({ member, link, password });
    else notice(t("company.add.known", { name: member.display_name }));
  });
  const { form } = sending;
  return (
    <Dialog title={t("company.add")} onClose={onClose}>
      <form onSubmit={sending.submit} autoComplete="off">
        <TextInput
          label={t("field.username")}
          description={t("company.add.username.words")}
          autoCapitalize="none"
          spellCheck={false}
          required
          {...form.getInputProps("username")}
        />
        <TextInput label={t("field.display_name")} description={t("company.add.name.words")} {...form.getInputProps("display_name")} />
        <TeamAndRole form={form} />
        <NewPassword
          label={t("company.add.password")}
          {...form.getInputProps("password")}
          value={form.values.password}
          {...(form.values.password ? {} : { description: t("company.add.password.words") })}
        />
        <Fault fault={sending.fault} fields={FIELDS} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" loading={sending.sending}>
            {t("company.add.do")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
