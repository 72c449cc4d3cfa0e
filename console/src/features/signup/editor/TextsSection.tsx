/** The words of the page in one language. */

import { Textarea, TextInput } from "@mantine/core";

import { languageName, t } from "@/i18n";
import { Section } from "@/ui/Page";

import type { Copy } from "../api";
import { NO_COPY } from "./document";
import styles from "./Editor.module.css";
import type { Editing } from "./useEditing";

const LONGEST: Record<keyof Copy, number> = { title: 120, intro: 2_000, submit: 60, thanks: 1_000 };
const NAMES = ["title", "intro", "submit", "thanks"] as const;

export function TextsSection({ editing, locale }: { editing: Editing; locale: string }) {
  const copy = editing.edited.copy[locale] ?? NO_COPY;
  const write = (name: keyof Copy, text: string): void =>
    editing.change((before) => ({ ...before, copy: { ...before.copy, [locale]: { ...(before.copy[locale] ?? NO_COPY), [name]: text } } }));
  return (
    <Section title={t("funnel.texts")} intro={t("funnel.texts.words", { language: languageName(locale) })}>
      <div className={styles.stack} lang={locale}>
        {NAMES.map((name) => {
          const shared = {
            label: t(`funnel.text.${name}`),
            dir: "auto" as const,
            maxLength: LONGEST[name],
            value: copy[name],
            error: editing.errorAt(`/copy/${locale}/${name}`),
            onChange: (event: { currentTarget: { value: string } }) => write(name, event.currentTarget.value),
          };
          return name === "intro" || name === "thanks" ? <Textarea key={name} autosize minRows={2} {...shared} /> : <TextInput key={name} {...shared} />;
        })}
      </div>
    </Section>
  );
}
