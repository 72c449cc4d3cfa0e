/** First run: creates the operator, the first company and the first team. */

import { Button, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";

import { answer, api } from "@/api/client";
import { staying } from "@/api/staying";
import { token } from "@/api/token";
import { t } from "@/i18n";
import { Fault, useSending } from "@/ui/forms";
import { NewPassword } from "@/ui/NewPassword";

import { Doorway } from "./Doorway";
import { StaySignedIn } from "./StaySignedIn";

export default function FirstRun({ asksForCode }: { asksForCode: boolean }) {
  const client = useQueryClient();
  const { form, sending, fault, submit } = useSending(
    { username: "", display_name: "", password: "", org: "", team: "", code: "", stay: false },
    async ({ username, password, display_name, org, team, code, stay }) => {
      const body = {
        username,
        password,
        ...(display_name.trim() ? { display_name } : {}),
        ...(org.trim() ? { org } : {}),
        ...(team.trim() ? { team } : {}),
        ...(asksForCode ? { code } : {}),
      };
      await answer(api.POST("/api/bootstrap", { body }));
      // The returned token is for scripts: a person gets a session, which expires.
      const session = await answer(api.POST("/api/login", { body: { username, password, stay } }));
      staying.set(stay);
      token.set(session.token);
      await client.resetQueries();
    },
  );
  return (
    <Doorway title={t("entrance.first_run")} intro={t("entrance.first_run.intro")}>
      <form onSubmit={submit}>
        {asksForCode && (
          <TextInput
            label={t("entrance.first_run.code")}
            description={t("entrance.first_run.code.hint")}
            autoComplete="off"
            required
            autoFocus
            {...form.getInputProps("code")}
          />
        )}
        <TextInput label={t("field.username")} autoComplete="username" autoFocus={!asksForCode} required {...form.getInputProps("username")} />
        <TextInput label={t("field.display_name")} autoComplete="name" {...form.getInputProps("display_name")} />
        <NewPassword label={t("field.password")} required {...form.getInputProps("password")} value={form.values.password} />
        <TextInput label={t("field.company")} autoComplete="organization" placeholder={t("field.company.example")} {...form.getInputProps("org")} />
        <TextInput label={t("field.team")} placeholder={t("field.team.example")} {...form.getInputProps("team")} />
        <StaySignedIn {...form.getInputProps("stay", { type: "checkbox" })} />
        <Fault fault={fault} fields={["username", "password", "display_name", "org", "team", "code"]} />
        <Button type="submit" loading={sending} fullWidth>
          {t("entrance.first_run.do")}
        </Button>
      </form>
    </Doorway>
  );
}
