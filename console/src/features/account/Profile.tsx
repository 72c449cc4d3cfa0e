/** Display name, language and time zone. */

import { Button, Select, TextInput } from "@mantine/core";

import { languageName, loadCatalog, ownName, t } from "@/i18n";
import { useForgetEverything, useSession } from "@/session";
import { useConfig } from "@/session/config";
import { Fault, useSending } from "@/ui/forms";
import { notice } from "@/ui/notice";

import styles from "./Account.module.css";
import { useSaveProfile } from "./queries";
import { TimeZone } from "./TimeZone";

export function Profile() {
  const { me } = useSession();
  const config = useConfig();
  const save = useSaveProfile();
  const forget = useForgetEverything();
  const { form, sending, fault, submit } = useSending(
    { display_name: me.user.display_name, locale: me.user.locale ?? "", time_zone: me.user.time_zone ?? "" },
    async ({ display_name, locale, time_zone }) => {
      const speaks = locale !== (me.user.locale ?? "");
      const moves = time_zone !== (me.user.time_zone ?? "");
      await save({ display_name, ...(speaks && { locale: locale || null }), ...(moves && { time_zone: time_zone || null }) });
      if (speaks) await loadCatalog(locale || undefined);
      if (speaks || moves) await forget();
      form.resetDirty();
      notice(t("account.profile.saved"));
    },
  );
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextInput label={t("field.display_name")} autoComplete="name" required {...form.getInputProps("display_name")} />
      <TextInput
        label={t("account.profile.username")}
        description={t("account.profile.username.hint")}
        value={me.user.username}
        readOnly
        className={styles.fixed}
      />
      {config.data?.localization.switching && (
        <Select
          label={t("account.profile.locale")}
          data={[
            { value: "", label: t("account.profile.locale.none") },
            ...config.data.localization.available_locales.map((locale) => ({ value: locale, label: fullName(locale) })),
          ]}
          allowDeselect={false}
          {...form.getInputProps("locale")}
        />
      )}
      <TimeZone {...form.getInputProps("time_zone")} />
      <Fault fault={fault} fields={["display_name", "locale", "time_zone"]} />
      <div>
        <Button type="submit" loading={sending} disabled={!form.isDirty()}>
          {t("action.save")}
        </Button>
      </div>
    </form>
  );
}

/** A language's own name, and its name in the current locale. */
function fullName(locale: string): string {
  const [own, here] = [ownName(locale), languageName(locale)];
  return own === here ? own : `${own} (${here})`;
}
