/** Adds terms one after another, above the list. */

import { Button, TagsInput, TextInput } from "@mantine/core";
import { useRef } from "react";

import { t } from "@/i18n";
import { Fault, useSending } from "@/ui/forms";
import { LanguageSelect } from "@/ui/languages/LanguageSelect";
import { notice } from "@/ui/notice";

import styles from "./Glossary.module.css";
import { useTermChanges, type Term } from "./queries";
import { keyOf } from "./terms";
import { EMPTY, MOST_FORMS } from "./values";

interface Props {
  glossary: readonly Term[];
  onClose: () => void;
}

export function NewTerm({ glossary, onClose }: Props) {
  const { save } = useTermChanges();
  const first = useRef<HTMLInputElement>(null);
  const { form, sending, fault, submit } = useSending({ ...EMPTY, target: glossary[0]?.target ?? "" }, async (values) => {
    const { target, forbidden } = values;
    const [term, translation, note] = [values.term.trim(), values.translation.trim(), values.note.trim()];
    if (!target) {
      form.setFieldError("target", t("glossary.import.no.target"));
      return;
    }
    await save({ term, target, translation, note, forbidden });
    notice(t("glossary.added", { term }));
    form.setValues({ ...EMPTY, target });
    first.current?.focus();
  });
  const { term, target } = form.values;
  const existing = glossary.find((one) => term.trim() !== "" && keyOf(one) === keyOf({ term, target }));
  return (
    <form className={styles.new} aria-label={t("glossary.add.title")} onSubmit={submit}>
      <TextInput
        ref={first}
        label={t("glossary.field.term")}
        description={t("glossary.field.term.hint")}
        inputWrapperOrder={ORDER}
        required
        autoFocus
        maxLength={100}
        {...form.getInputProps("term")}
        error={existing ? t("glossary.add.exists", { translation: existing.translation }) : form.errors.term}
      />
      <TextInput label={t("glossary.field.translation")} required maxLength={100} lang={target || undefined} {...form.getInputProps("translation")} />
      <LanguageSelect label={t("glossary.field.target")} required {...form.getInputProps("target")} value={target || null} onChange={(code) => form.setFieldValue("target", code)} />
      <TextInput
        label={t("glossary.field.note")}
        description={t("glossary.field.note.hint")}
        inputWrapperOrder={ORDER}
        maxLength={500}
        {...form.getInputProps("note")}
      />
      <TagsInput
        className={styles.wide}
        label={t("glossary.field.forbidden")}
        description={t("glossary.field.forbidden.hint")}
        inputWrapperOrder={ORDER}
        acceptValueOnBlur
        maxTags={MOST_FORMS}
        lang={target || undefined}
        {...form.getInputProps("forbidden")}
      />
      <div className={styles.fault}>
        <Fault fault={fault} fields={["term", "target", "translation", "note", "forbidden"]} />
      </div>
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose}>
          {t("action.close")}
        </Button>
        <Button type="submit" loading={sending} disabled={existing !== undefined}>
          {t("glossary.add.do")}
        </Button>
      </div>
    </form>
  );
}

/** Hints below the fields, so that fields side by side line up. */
const ORDER: ("label" | "input" | "description" | "error")[] = ["label", "input", "description", "error"];
