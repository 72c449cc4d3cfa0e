/** The language policy of the instance. */

import { Button, Select, Switch } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";

import { byName, languageName, t } from "@/i18n";
import { configQuery, useConfig } from "@/session/config";
import { Fault, useSending } from "@/ui/forms";
import { notice } from "@/ui/notice";
import { Section } from "@/ui/Page";

import { savePolicy, type Policy } from "../api";
import styles from "./Languages.module.css";

export function PolicySection({ locales }: { locales: readonly string[] }) {
  const config = useConfig();
  if (!config.data) return null;
  const { default_locale, switching, drafts } = config.data.localization;
  return (
    <div className={styles.policy}>
      <Section title={t("localization.policy")} intro={t("localization.policy.words")}>
        <PolicyForm locales={locales} policy={{ default_locale, switching, drafts }} />
      </Section>
    </div>
  );
}

function PolicyForm({ locales, policy }: { locales: readonly string[]; policy: Policy }) {
  const client = useQueryClient();
  const { form, sending, fault, submit } = useSending({ ...policy }, async (values) => {
    await savePolicy(values);
    await client.invalidateQueries({ queryKey: configQuery.queryKey });
    form.resetDirty();
    notice(t("localization.policy.saved"));
  });
  const choices = locales.map((locale) => ({ value: locale, label: languageName(locale) })).sort((one, other) => byName(one.label, other.label));
  return (
    <form className={styles.form} onSubmit={submit}>
      <Select
        label={t("localization.policy.default")}
        description={t("localization.policy.default.hint")}
        data={choices}
        searchable={choices.length > 8}
        allowDeselect={false}
        {...form.getInputProps("default_locale")}
      />
      <Switch
        label={t("localization.policy.switching")}
        description={t("localization.policy.switching.hint")}
        {...form.getInputProps("switching", { type: "checkbox" })}
      />
      <Switch label={t("localization.policy.drafts")} description={t("localization.policy.drafts.hint")} {...form.getInputProps("drafts", { type: "checkbox" })} />
      <Fault fault={fault} fields={["default_locale", "switching", "drafts"]} />
      <div>
        <Button type="submit" loading={sending} disabled={!form.isDirty()}>
          {t("action.save")}
        </Button>
      </div>
    </form>
  );
}
