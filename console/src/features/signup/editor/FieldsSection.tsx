/** The questions, in their order: buttons move them, and Alt with an arrow key does too. */

import { ActionIcon, Button, Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash, IconX } from "@tabler/icons-react";
import { useState, type KeyboardEvent } from "react";

import type { FieldType } from "../api";
import { t } from "@/i18n";
import { Section } from "@/ui/Page";

import { changeField, moveField, textIn, TYPES, withField, withoutField, type Field } from "./document";
import styles from "./Editor.module.css";
import type { Editing } from "./useEditing";

const MOST_FIELDS = 30;
const LONGEST_LABEL = 200;

export function FieldsSection({ editing, locale }: { editing: Editing; locale: string }) {
  const { fields } = editing.edited;
  const [told, setTold] = useState("");
  function move(field: Field, by: -1 | 1): void {
    editing.change((before) => moveField(before, field.key, by));
    const at = fields.indexOf(field) + by;
    if (at >= 0 && at < fields.length) setTold(t("funnel.field.moved", { place: at + 1, count: fields.length }));
  }
  return (
    <Section title={t("funnel.fields")} intro={t("funnel.fields.words")}>
      {editing.errorAt("/fields") && <p role="alert">{editing.errorAt("/fields")}</p>}
      <ol className={styles.fields} aria-label={t("funnel.fields")}>
        {fields.map((field, at) => (
          <FieldCard key={field.key} field={field} at={at} last={fields.length - 1} locale={locale} editing={editing} onMove={(by) => move(field, by)} />
        ))}
      </ol>
      <Button variant="default" disabled={fields.length >= MOST_FIELDS} leftSection={<IconPlus aria-hidden size={16} />} onClick={() => editing.change(withField)}>
        {t("funnel.field.add")}
      </Button>
      <p className="sr-only" role="status">
        {told}
      </p>
    </Section>
  );
}

interface CardProps {
  field: Field;
  at: number;
  last: number;
  locale: string;
  editing: Editing;
  onMove: (by: -1 | 1) => void;
}

function FieldCard({ field, at, last, locale, editing, onMove }: CardProps) {
  const change = (part: Partial<Field>): void => editing.change((before) => changeField(before, field.key, part));
  const name = textIn(field.label, locale) || field.name;
  const error = (part: string): string | undefined => editing.errorAt(`/fields/${at}/${part}`);
  function hear(event: KeyboardEvent): void {
    const by = event.altKey ? ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key] : undefined;
    if (!by) return;
    event.preventDefault();
    onMove(by);
  }
  return (
    // Alt and arrows are a shortcut for the buttons.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <li className={styles.field} aria-label={name} onKeyDown={hear}>
      <div className={styles.top}>
        <b dir="auto">{name}</b>
        <ActionIcon variant="subtle" color="gray" disabled={at === 0} aria-label={t("funnel.field.up", { name })} onClick={() => onMove(-1)}>
          <IconArrowUp aria-hidden size={16} />
        </ActionIcon>
        <ActionIcon variant="subtle" color="gray" disabled={at === last} aria-label={t("funnel.field.down", { name })} onClick={() => onMove(1)}>
          <IconArrowDown aria-hidden size={16} />
        </ActionIcon>
        <ActionIcon variant="subtle" color="danger" aria-label={t("funnel.field.remove", { name })} onClick={() => editing.change((before) => withoutField(before, field.key))}>
          <IconTrash aria-hidden size={16} />
        </ActionIcon>
      </div>
      <TextInput
        label={t("funnel.field.label")}
        dir="auto"
        lang={locale}
        maxLength={LONGEST_LABEL}
        placeholder={textIn(field.label, locale)}
        value={field.label[locale] ?? ""}
        error={error(`label/${locale}`) ?? error("label")}
        onChange={(event) => change({ label: { ...field.label, [locale]: event.currentTarget.value } })}
      />
      <div className={styles.pair}>
        <NativeSelect
          label={t("funnel.field.type")}
          value={field.type}
          error={error("type")}
          data={TYPES.map((value) => ({ value, label: t(`funnel.type.${value}`) }))}
          onChange={(event) => change({ type: event.currentTarget.value as FieldType })}
        />
        <TextInput label={t("funnel.field.name")} spellCheck={false} maxLength={64} value={field.name} error={error("name")} onChange={(event) => change({ name: event.currentTarget.value })} />
      </div>
      <Checkbox label={t("funnel.field.required")} checked={field.required} onChange={(event) => change({ required: event.currentTarget.checked })} />
      {field.type === "select" && <Options field={field} locale={locale} error={error} onChange={(options) => change({ options })} />}
    </li>
  );
}

interface OptionsProps {
  field: Field;
  locale: string;
  error: (part: string) => string | undefined;
  onChange: (options: Field["options"]) => void;
}

function Options({ field: { options }, locale, error, onChange }: OptionsProps) {
  const change = (at: number, part: Partial<Field["options"][number]>): void => onChange(options.map((option, place) => (place === at ? { ...option, ...part } : option)));
  return (
    <div className={styles.options} role="group" aria-label={t("funnel.options")}>
      {error("options") && <p role="alert">{error("options")}</p>}
      {options.map((option, at) => (
        <div key={at} className={styles.option}>
          <TextInput
            aria-label={t("funnel.option.value", { place: at + 1 })}
            placeholder={t("funnel.option.value", { place: at + 1 })}
            value={option.value}
            maxLength={LONGEST_LABEL}
            error={error(`options/${at}`) ?? error(`options/${at}/value`)}
            onChange={(event) => change(at, { value: event.currentTarget.value })}
          />
          <TextInput
            aria-label={t("funnel.option.label", { place: at + 1 })}
            placeholder={textIn(option.label, locale) || option.value}
            dir="auto"
            lang={locale}
            maxLength={LONGEST_LABEL}
            value={option.label[locale] ?? ""}
            onChange={(event) => change(at, { label: { ...option.label, [locale]: event.currentTarget.value } })}
          />
          <ActionIcon variant="subtle" color="gray" aria-label={t("funnel.option.remove", { place: at + 1 })} onClick={() => onChange(options.filter((_, place) => place !== at))}>
            <IconX aria-hidden size={16} />
          </ActionIcon>
        </div>
      ))}
      <Button variant="subtle" size="compact-sm" leftSection={<IconPlus aria-hidden size={14} />} onClick={() => onChange([...options, { value: "", label: {} }])}>
        {t("funnel.option.add")}
      </Button>
    </div>
  );
}
