/** The language of the pages before sign-in, by each language's own name. */

import { IconLanguage } from "@tabler/icons-react";

import { byName, currentLocale, ownName, t } from "@/i18n";
import { preferLanguage } from "@/i18n/preference";
import { useConfig } from "@/session/config";

import styles from "./LanguageChoice.module.css";

export function LanguageChoice() {
  const { data } = useConfig();
  const locales = data?.localization.available_locales ?? [];
  if (!data?.localization.switching || locales.length < 2) return null;
  const choices = locales.map((locale) => ({ locale, name: ownName(locale) })).sort((one, other) => byName(one.name, other.name));
  return (
    <p className={styles.choice}>
      <IconLanguage aria-hidden size={16} />
      <select aria-label={t("account.profile.locale")} value={currentLocale()} onChange={(event) => choose(event.currentTarget.value)}>
        {choices.map(({ locale, name }) => (
          <option key={locale} value={locale}>
            {name}
          </option>
        ))}
      </select>
    </p>
  );
}

function choose(locale: string): void {
  preferLanguage(locale);
  location.reload();
}
