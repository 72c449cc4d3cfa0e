/** Redeems an activation link: its token is in the fragment, which the browser doesn't send. */

import { Button, PasswordInput } from "@mantine/core";

import { answer, api } from "@/api/client";
import { staying } from "@/api/staying";
import { token } from "@/api/token";
import { t } from "@/i18n";
import { Fault, useSending } from "@/ui/forms";
import { NewPassword } from "@/ui/NewPassword";

import { Doorway } from "./Doorway";
import { StaySignedIn } from "./StaySignedIn";

export default function Activate() {
  const link = location.hash.slice(1);
  const { form, sending, fault, submit } = useSending({ password: "", again: "", stay: false }, async ({ password, again, stay }) => {
    if (password !== again) {
      form.setFieldError("again", t("field.password.differ"));
      return;
    }
    const session = await answer(api.POST("/api/activate", { body: { token: link, password, stay } }));
    staying.set(stay);
    token.set(session.token);
    location.replace("/app/");
  });
  if (!link) return <Doorway title={t("entrance.activate")}>{<p className="muted">{t("entrance.activate.no_token")}</p>}</Doorway>;
  return (
    <Doorway title={t("entrance.activate")} intro={t("entrance.activate.intro")}>
      <form onSubmit={submit}>
        <NewPassword label={t("field.password.new")} autoFocus required {...form.getInputProps("password")} value={form.values.password} />
        <PasswordInput label={t("field.password.again")} autoComplete="new-password" required {...form.getInputProps("again")} />
        <StaySignedIn {...form.getInputProps("stay", { type: "checkbox" })} />
        <Fault fault={fault} fields={["password"]} />
        <Button type="submit" loading={sending} fullWidth>
          {t("entrance.activate.do")}
        </Button>
      </form>
    </Doorway>
  );
}
