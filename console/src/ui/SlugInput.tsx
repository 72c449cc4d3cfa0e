/** Slug field: follows the name until edited. */

import { TextInput, type TextInputProps } from "@mantine/core";

import { t } from "@/i18n";

import { slugOf } from "./slug";

interface Props extends Omit<TextInputProps, "value" | "onChange"> {
  /** The name that the slug is generated from. */
  name: string;
  /** The edited slug; empty while it follows the name. */
  value: string;
  onChange: (value: string) => void;
}

export function SlugInput({ name, value, onChange, ...rest }: Props) {
  return (
    <TextInput
      placeholder={slugOf(name)}
      description={value ? t("company.slug.own") : t("company.slug.words")}
      inputWrapperOrder={["label", "input", "description", "error"]}
      spellCheck={false}
      autoCapitalize="none"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value.toLowerCase().replace(/\s+/g, "-"))}
      {...rest}
    />
  );
}
