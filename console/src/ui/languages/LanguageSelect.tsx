/** Language choice: searchable by name, own name or code; the languages used last come first. */

import { Select, type ComboboxItem, type OptionsFilter, type SelectProps } from "@mantine/core";
import { useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";

import styles from "./LanguageSelect.module.css";
import { allLanguages, canonical, isMatch, languageOf, type Language } from "./names";
import { recentLanguages, rememberLanguage } from "./recent";

interface Props extends Omit<SelectProps, "data" | "value" | "onChange"> {
  value: string | null;
  onChange: (code: string) => void;
  /** A choice besides the languages, such as automatic detection. */
  other?: ComboboxItem;
}

export function LanguageSelect({ value, onChange, other, ...props }: Props) {
  const { me } = useSession();
  const [typed, setTyped] = useState("");
  const [recent, setRecent] = useState(() => recentLanguages(me.user.id, localStorage));
  const latest = recent.map(languageOf);
  const rest = [...allLanguages(), ...unlisted(typed, value === other?.value ? null : value)].filter(({ code }) => !recent.includes(code));
  const groups = [
    { group: t("languages.recent"), items: [...(other ? [other] : []), ...latest.map(optionOf)] },
    { group: t("languages.all"), items: rest.map(optionOf) },
  ];
  return (
    <Select
      searchable
      selectFirstOptionOnChange
      allowDeselect={false}
      nothingFoundMessage={t("languages.none")}
      filter={byAnyName}
      renderOption={({ option }) => <Option option={option} />}
      withScrollArea={false}
      comboboxProps={{ width: 320, position: "bottom-start" }}
      classNames={{ options: styles.options }}
      {...props}
      data={groups.filter(({ items }) => items.length > 0)}
      value={value}
      onSearchChange={setTyped}
      onChange={(code) => {
        if (code === null) return;
        if (code !== other?.value) {
          rememberLanguage(me.user.id, code, localStorage);
          setRecent(recentLanguages(me.user.id, localStorage));
        }
        onChange(code);
      }}
    />
  );
}

/** Any other language tag can be typed. */
function unlisted(typed: string, value: string | null): Language[] {
  const codes = [/^[a-z]{2,3}(-|$)/i.test(typed.trim()) ? canonical(typed) : undefined, value ?? undefined];
  const listed = allLanguages();
  return [...new Set(codes)].filter((code) => code !== undefined).filter((code) => !listed.some((one) => one.code === code)).map(languageOf);
}

const optionOf = ({ code, name }: Language): ComboboxItem => ({ value: code, label: name });

const byAnyName: OptionsFilter = ({ options, search }) => {
  const fits = ({ value, label }: ComboboxItem): boolean => search.trim() === "" || isMatch({ ...languageOf(value), name: label }, search);
  return options.flatMap((option) => ("group" in option ? { ...option, items: option.items.filter(fits) } : fits(option) ? option : []));
};

function Option({ option: { value, label } }: { option: ComboboxItem }) {
  const { own } = languageOf(value);
  return (
    <span className={styles.option}>
      {label}
      {own !== value && own !== label && (
        <span className={styles.own} lang={value}>
          {own}
        </span>
      )}
    </span>
  );
}
