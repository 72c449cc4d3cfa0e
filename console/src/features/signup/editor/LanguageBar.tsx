/** The language that is written and previewed; languages are added and removed here. */

import { Button } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useState } from "react";

import { languageName, t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { LanguageSelect } from "@/ui/languages/LanguageSelect";
import { Segments } from "@/ui/Segments";

import { withLocale, withoutLocale } from "./document";
import styles from "./Editor.module.css";
import type { Editing } from "./useEditing";

interface Props {
  editing: Editing;
  locale: string;
  locales: readonly string[];
  onLocale: (locale: string) => void;
}

export function LanguageBar({ editing, locale, locales, onLocale }: Props) {
  const [removing, setRemoving] = useState(false);
  const language = languageName(locale);
  return (
    <div className={styles.languages} role="group" aria-label={t("funnel.language")}>
      <Segments className={styles.tabs} aria-label={t("funnel.language")} value={locale} onChange={onLocale} data={locales.map((value) => ({ value, label: languageName(value) }))} />
      <LanguageSelect
        className={styles.add}
        aria-label={t("funnel.language.add")}
        placeholder={t("funnel.language.add")}
        value={null}
        onChange={(code) => {
          editing.change((before) => withLocale(before, code));
          onLocale(code);
        }}
      />
      {locales.length > 1 && (
        <Button variant="subtle" color="danger" size="compact-sm" leftSection={<IconTrash aria-hidden size={14} />} onClick={() => setRemoving(true)}>
          {t("funnel.language.remove", { language })}
        </Button>
      )}
      {removing && (
        <ConfirmDialog
          title={t("funnel.language.remove.title", { language })}
          confirm={t("funnel.remove")}
          perform={async () => editing.change((before) => withoutLocale(before, locale))}
          onClose={() => setRemoving(false)}
        >
          <p>{t("funnel.language.remove.words")}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
