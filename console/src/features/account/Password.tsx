/** Changes the user's password; other sessions are signed out. */

import { Button, PasswordInput } from "@mantine/core";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { useSession } from "@/session";
import { Fault, useSending } from "@/ui/forms";
import { NewPassword } from "@/ui/NewPassword";
import { notice } from "@/ui/notice";

import styles from "./Account.module.css";
import { useChangePassword } from "./queries";

export function Password() {
  const { me } = useSession();
  const change = useChangePassword();
  const { form, sending, fault, submit } = useSending(
    { current_password: "", new_password: "", again: "" },
    async ({ current_password, new_password, again }) => {
      if (new_password !== again) {
        form.setFieldError("again", t("field.password.differ"));
        return;
      }
      try {
        await change({ current_password, new_password });
      } catch (refusal) {
        if (!(refusal instanceof Refusal && refusal.code === "invalid_credentials")) throw refusal;
        form.setFieldError("current_password", t("account.password.wrong"));
        return;
      }
      form.reset();
      notice(t("account.password.changed"));
    },
  );
  return (
    <form className={styles.form} onSubmit={submit}>
      {/* A password manager wants to know whose password this is. */}
      <input className="sr-only" aria-hidden tabIndex={-1} autoComplete="username" value={me.user.username} readOnly />
      <PasswordInput
        label={t("account.password.current")}
        autoComplete="current-password"
        required={me.credential === "session"}
        {...form.getInputProps("current_password")}
      />
      <NewPassword label={t("field.password.new")} required {...form.getInputProps("new_password")} value={form.values.new_password} />
      <PasswordInput label={t("field.password.again")} autoComplete="new-password" required {...form.getInputProps("again")} />
      <Fault fault={fault} fields={["current_password", "new_password"]} />
      <div>
        <Button type="submit" variant="default" loading={sending}>
          {t("account.password.change")}
        </Button>
      </div>
    </form>
  );
}
