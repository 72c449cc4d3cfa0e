/** Changes a person's role. */

import { Button } from "@mantine/core";

import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault, useSending } from "@/ui/forms";
import { notice } from "@/ui/notice";

import { useMemberChanges, type Member, type Role } from "./queries";
import { RoleChoice } from "./RoleChoice";

export function RoleDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { changeRole } = useMemberChanges();
  const name = member.display_name;
  const { form, sending, fault, submit } = useSending({ role: member.role ?? "member" }, async ({ role }) => {
    await changeRole(member.user_id, role as Role);
    onClose();
    notice(t("members.role.done", { name, role: t(`role.${role as Role}`) }));
  });
  return (
    <Dialog title={t("members.role.title", { name })} onClose={onClose}>
      <form onSubmit={submit}>
        <RoleChoice
          label={t("members.role.choose")}
          value={form.values.role}
          onChange={(role) => form.setFieldValue("role", role)}
          error={form.errors.role}
        />
        <Fault fault={fault} fields={["role"]} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" loading={sending} disabled={form.values.role === member.role}>
            {t("members.role.do")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
