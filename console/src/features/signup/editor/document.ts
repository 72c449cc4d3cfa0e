/** The experience as it is edited: every part is there, and fields keep a key of their own when they move. */

import type { Copy, Experience, ExperienceDocument, FieldType } from "../api";

export const TYPES = ["text", "email", "textarea", "select", "checkbox"] as const satisfies readonly FieldType[];
export const ASSET_TOKENS = ["logo", "hero", "font_file"] as const;
export type AssetToken = (typeof ASSET_TOKENS)[number];

export type Texts = Readonly<Record<string, string>>;

export interface Option {
  value: string;
  label: Texts;
}

export interface Field {
  key: number;
  name: string;
  type: FieldType;
  required: boolean;
  label: Texts;
  options: readonly Option[];
}

export interface Edited {
  fields: readonly Field[];
  copy: Readonly<Record<string, Copy>>;
  theme: Readonly<Record<string, unknown>>;
  judge_prompt: string;
  retention_days: number | null;
}

export const NO_COPY: Copy = { title: "", intro: "", submit: "", thanks: "" };

/** What the team edits: its draft, else what it published, else what visitors see. */
export function editedOf(experience: Experience): Edited {
  const document: ExperienceDocument = experience.draft ?? experience.published?.document ?? experience;
  return {
    fields: document.fields.map((field, key) => ({
      key,
      name: field.name,
      type: field.type,
      required: field.required ?? false,
      label: field.label ?? {},
      options: (field.options ?? []).map((option) => (typeof option === "string" ? { value: option, label: {} } : { value: option.value, label: option.label ?? {} })),
    })),
    copy: Object.fromEntries(Object.entries(document.copy ?? {}).map(([locale, copy]) => [locale, { ...NO_COPY, ...copy }])),
    theme: document.theme ?? {},
    judge_prompt: document.judge_prompt ?? "",
    retention_days: document.retention_days ?? null,
  };
}

const written = (texts: Texts): Record<string, string> => Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== ""));

/** As the API takes it: without empty texts, and options only where there is a choice. */
export function documentOf(edited: Edited): ExperienceDocument {
  return {
    fields: edited.fields.map(({ name, type, required, label, options }) => ({
      name,
      type,
      required,
      label: written(label),
      options: type === "select" ? options.map((option) => ({ value: option.value, label: written(option.label) })) : [],
    })),
    copy: edited.copy,
    theme: edited.theme,
    judge_prompt: edited.judge_prompt,
    retention_days: edited.retention_days,
  };
}

export const isSame = (one: Edited, other: Edited): boolean => JSON.stringify(documentOf(one)) === JSON.stringify(documentOf(other));

/** Languages of the texts and labels, in their order. */
export function localesOf({ copy, fields }: Edited): string[] {
  const found = [...Object.keys(copy), ...fields.flatMap(({ label }) => Object.keys(label))];
  return found.length > 0 ? [...new Set(found)] : ["en"];
}

export const withLocale = (edited: Edited, locale: string): Edited => ({ ...edited, copy: { ...edited.copy, [locale]: edited.copy[locale] ?? NO_COPY } });

const without = <Value>(given: Readonly<Record<string, Value>>, locale: string): Record<string, Value> => Object.fromEntries(Object.entries(given).filter(([name]) => name !== locale));

export function withoutLocale(edited: Edited, locale: string): Edited {
  return {
    ...edited,
    copy: without(edited.copy, locale),
    fields: edited.fields.map((field) => ({
      ...field,
      label: without(field.label, locale),
      options: field.options.map((option) => ({ ...option, label: without(option.label, locale) })),
    })),
  };
}

export function withField(edited: Edited): Edited {
  const names = new Set(edited.fields.map(({ name }) => name));
  let number = edited.fields.length + 1;
  while (names.has(`field_${number}`)) number += 1;
  const key = Math.max(-1, ...edited.fields.map((field) => field.key)) + 1;
  return { ...edited, fields: [...edited.fields, { key, name: `field_${number}`, type: "text", required: false, label: {}, options: [] }] };
}

export const withoutField = (edited: Edited, key: number): Edited => ({ ...edited, fields: edited.fields.filter((field) => field.key !== key) });

export const changeField = (edited: Edited, key: number, change: Partial<Field>): Edited => ({
  ...edited,
  fields: edited.fields.map((field) => (field.key === key ? { ...field, ...change } : field)),
});

/** Up or down by one; at the ends nothing moves. */
export function moveField(edited: Edited, key: number, by: -1 | 1): Edited {
  const at = edited.fields.findIndex((field) => field.key === key);
  const [field, other] = [edited.fields[at], edited.fields[at + by]];
  if (!field || !other) return edited;
  const fields = [...edited.fields];
  fields[at] = other;
  fields[at + by] = field;
  return { ...edited, fields };
}

/** The text in a language, else in the first that has one. */
export const textIn = (texts: Texts, locale: string): string => texts[locale] || Object.values(texts).find(Boolean) || "";
