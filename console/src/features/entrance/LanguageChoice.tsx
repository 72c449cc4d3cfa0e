/** The language of the pages before sign-in, by each language's own name. */

import { NativeSelect } from "@mantine/core";
import { IconLanguage } from "@tabler/icons-react";

import { byName, currentLocale, ownName, t } from "@/i18n";
import { preferLanguage } from "@/i18n/preference";
import { useConfig } from "@/session/config";

import styles from "./LanguageChoice.module.css";

export function LanguageChoice() {
  const { data } = useConfig();
  const locales = data?.localization.available_locales ?? [];
  if (!data?.localization.switching || locales.length < 2) return null;
  return (
    <NativeSelect
      className={styles.choice}
      aria-label={t("account.profile.locale")}
      leftSection={<IconLanguage aria-hidden size={16} />}
      size="xs"
      variant="unstyled"
      value={currentLocale()}
      data={locales.map((value) => ({ value, label: ownName(value) })).sort((one, other) => byName(one.label, other.label))}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  );
}

function choose(locale: string): void {
  preferLanguage(locale);
  location.reload();
}
