/** Turns off two-factor authentication. Needs the password: an open session isn't enough. */

import { Button, PasswordInput } from "@mantine/core";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault, useSending } from "@/ui/forms";
import { notice } from "@/ui/notice";

import { useFactorChanges } from "./queries";

export function TurnOffDialog({ onClose }: { onClose: () => void }) {
  const { turnOff } = useFactorChanges();
  const { form, sending, fault, submit } = useSending({ password: "" }, async ({ password }) => {
    try {
      await turnOff(password);
    } catch (refusal) {
      if (!(refusal instanceof Refusal && refusal.code === "reauth_required")) throw refusal;
      form.setFieldError("password", t("account.password.wrong"));
      return;
    }
    onClose();
    notice(t("account.factor.disabled"));
  });
  return (
    <Dialog title={t("account.factor.disable.title")} onClose={onClose}>
      <p className="muted">{t("account.factor.disable.words")}</p>
      <form onSubmit={submit}>
        <PasswordInput
          label={t("account.password.current")}
          autoComplete="current-password"
          required
          {...form.getInputProps("password")}
        />
        <Fault fault={fault} fields={["password"]} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" color="danger" loading={sending}>
            {t("account.factor.disable")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
