/** Form and preview side by side; one language is chosen for both. */

import { useState } from "react";

import { t } from "@/i18n";
import { useBrandTheme } from "@/theme/brand";
import { Leaving } from "@/ui/Leaving";
import { BASE } from "@/ui/tokens/tokens";

import type { Experience } from "../api";
import { localesOf } from "./document";
import styles from "./Editor.module.css";
import { FieldsSection } from "./FieldsSection";
import { JudgeSection } from "./JudgeSection";
import { LanguageBar } from "./LanguageBar";
import { LookSection } from "./LookSection";
import { Preview } from "./Preview";
import { SaveBar } from "./SaveBar";
import { TextsSection } from "./TextsSection";
import { useEditing } from "./useEditing";

export function Editor({ experience }: { experience: Experience }) {
  const editing = useEditing(experience);
  const [wanted, setWanted] = useState("en");
  const locales = localesOf(editing.edited);
  const locale = locales.includes(wanted) ? wanted : (locales[0] ?? "en");
  const shared = { editing, locale };
  const brand = useBrandTheme() ?? BASE;
  return (
    <>
      {experience.live && !experience.live.own && <p className={styles.note}>{t("funnel.other_team")}</p>}
      <LanguageBar {...shared} locales={locales} onLocale={setWanted} />
      <div className={styles.editor}>
        <div className={styles.form}>
          <TextsSection {...shared} />
          <FieldsSection {...shared} />
          <LookSection editing={editing} brand={brand} />
          <JudgeSection editing={editing} />
        </div>
        <Preview edited={editing.edited} locale={locale} brand={brand} />
      </div>
      <SaveBar editing={editing} experience={experience} />
      <Leaving unsaved={editing.isChanged && !editing.isSaving} />
    </>
  );
}
