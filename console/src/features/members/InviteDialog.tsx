/** Invites a person: username and role; then shows their sign-in details once. */

import { Button, TextInput } from "@mantine/core";
import { useState } from "react";

import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault, useSending } from "@/ui/forms";
import { SignInDetails, type Access } from "@/ui/SignInDetails";
import { NewPassword } from "@/ui/NewPassword";
import { notice } from "@/ui/notice";

import { inviting } from "./inviting";
import styles from "./Members.module.css";
import { useMemberChanges } from "./queries";
import { RoleChoice } from "./RoleChoice";
import type { Given } from "./roles";
import { suggestPassword } from "./suggestion";

/** Mounted with the screen, so that the second dialog can follow the first. */
export function Inviting() {
  const opened = inviting.useOpened();
  const [invited, setInvited] = useState<Access | null>(null);
  if (invited) return <SignInDetails access={invited} onClose={() => setInvited(null)} />;
  return opened ? <InviteDialog onClose={inviting.close} onInvited={setInvited} /> : null;
}

const FIELDS = ["username", "role", "password", "display_name"];

function InviteDialog({ onClose, onInvited }: { onClose: () => void; onInvited: (invited: Access) => void }) {
  const { add } = useMemberChanges();
  const [shown, setShown] = useState(false);
  const { form, sending, fault, submit } = useSending(
    { username: "", display_name: "", password: "", role: "member" as Given },
    async (values) => {
      const password = values.password || undefined;
      const { member, link, isNew } = await add({
        username: values.username.trim(),
        role: values.role,
        display_name: values.display_name.trim() || undefined,
        password,
      });
      onClose();
      if (isNew) onInvited({ member, link, password });
      else notice(t("members.invite.known", { name: member.display_name }));
    },
  );
  const suggest = (): void => {
    form.setFieldValue("password", suggestPassword());
    setShown(true);
  };
  return (
    <Dialog title={t("members.invite")} onClose={onClose}>
      <form onSubmit={submit} autoComplete="off">
        <TextInput
          label={t("members.invite.username")}
          description={t("members.invite.username.hint")}
          autoCapitalize="none"
          spellCheck={false}
          required
          {...form.getInputProps("username")}
        />
        <TextInput label={t("members.invite.name")} description={t("members.invite.name.hint")} {...form.getInputProps("display_name")} />
        <RoleChoice
          label={t("members.invite.role")}
          value={form.values.role}
          onChange={(role) => form.setFieldValue("role", role)}
          error={form.errors.role}
        />
        <div className={styles.password}>
          <NewPassword
            label={t("members.invite.password")}
            visible={shown}
            onVisibilityChange={setShown}
            {...form.getInputProps("password")}
            value={form.values.password}
            {...(form.values.password ? {} : { description: t("members.invite.password.hint") })}
          />
          <Button variant="subtle" size="compact-xs" mih={24} className={styles.suggest} onClick={suggest}>
            {t("members.invite.password.suggest")}
          </Button>
        </div>
        <Fault fault={fault} fields={FIELDS} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" loading={sending}>
            {t("members.invite.do")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
