/** Sign-in: username and password, then a two-factor code if needed. */

import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useState } from "react";

import { answer, api, Refusal } from "@/api/client";
import { staying } from "@/api/staying";
import { token } from "@/api/token";
import { t } from "@/i18n";
import { useForgetEverything } from "@/session";
import { Fault, useSending } from "@/ui/forms";

import { Doorway } from "./Doorway";
import { StaySignedIn } from "./StaySignedIn";

export default function SignIn() {
  const [asksForCode, setAsksForCode] = useState(false);
  const forget = useForgetEverything();
  const { form, sending, fault, submit } = useSending({ username: "", password: "", totp: "", stay: false }, async (values) => {
    try {
      const totp = values.totp.trim() || undefined;
      const session = await answer(api.POST("/api/login", { body: { ...values, totp } }));
      await forget();
      staying.set(values.stay);
      token.set(session.token);
    } catch (refusal) {
      if (!(refusal instanceof Refusal && refusal.code === "totp_required")) throw refusal;
      setAsksForCode(true);
    }
  });
  return (
    <Doorway title={t("entrance.sign_in")} intro={asksForCode ? t("entrance.code.intro") : undefined}>
      <form onSubmit={submit}>
        {asksForCode ? (
          <TextInput
            key="totp"
            label={t("entrance.code")}
            description={t("entrance.code.hint")}
            autoComplete="one-time-code"
            inputMode="text"
            autoFocus
            required
            {...form.getInputProps("totp")}
          />
        ) : (
          <>
            <TextInput label={t("field.username")} autoComplete="username" autoFocus required {...form.getInputProps("username")} />
            <PasswordInput label={t("field.password")} autoComplete="current-password" required {...form.getInputProps("password")} />
          </>
        )}
        <StaySignedIn {...form.getInputProps("stay", { type: "checkbox" })} />
        <Fault fault={fault} />
        <Button type="submit" loading={sending} fullWidth>
          {t("entrance.sign_in")}
        </Button>
        {asksForCode && (
          <Button variant="subtle" onClick={() => setAsksForCode(false)}>
            {t("action.back")}
          </Button>
        )}
      </form>
    </Doorway>
  );
}
