/** Action filter: a group, a known action, one that was seen, or any code typed. */

import { Select, type ComboboxItem, type OptionsFilter } from "@mantine/core";
import { useState } from "react";

import { t } from "@/i18n";

import { ACTION_GROUPS, ACTIONS, isKnown } from "./actions";
import styles from "./Trail.module.css";

interface Props {
  value?: string;
  seen: readonly string[];
  onChange: (value: string | undefined) => void;
}

interface Option {
  value: string;
  label: string;
}

/** `note.create`, or a group such as `note.`. */
const NAME = /^[a-z_]+(\.[a-z_]+)*\.?$/;

export function ActionSelect({ value, seen, onChange }: Props) {
  const [typed, setTyped] = useState("");
  const groups: { group: string; items: Option[] }[] = ACTION_GROUPS.map((group) => ({
    group: t(`audit.group.${group}`),
    items: [
      { value: `${group}.`, label: t("audit.filter.action.all", { group: t(`audit.group.${group}`) }) },
      ...ACTIONS.filter((action) => action.startsWith(`${group}.`)).map((action) => ({ value: action, label: t(`audit.name.${action}`) })),
    ],
  }));
  const known = new Set(groups.flatMap(({ items }) => items.map((item) => item.value)));
  const others = [...new Set([...seen.filter((action) => !isKnown(action)), value ?? "", typed])]
    .filter((name) => NAME.test(name) && !known.has(name))
    .map((name) => ({ value: name, label: labelOf(name) }));
  return (
    <Select
      label={t("audit.filter.action")}
      placeholder={t("audit.filter.action.any")}
      searchable
      filter={byNameOrCode}
      renderOption={({ option }) => <Choice option={option} />}
      selectFirstOptionOnChange
      clearable
      withScrollArea={false}
      classNames={{ options: styles.options }}
      data={others.length > 0 ? [...others, ...groups] : groups}
      value={value ?? null}
      onSearchChange={setTyped}
      onChange={(action) => onChange(action ?? undefined)}
    />
  );
}

/** Matches the label (“note created”) or the code (`note.create`). */
const byNameOrCode: OptionsFilter = ({ options, search }) => {
  const wanted = search.trim().toLowerCase();
  const fits = ({ label, value }: ComboboxItem): boolean => `${label} ${value}`.toLowerCase().includes(wanted);
  return options.flatMap((option) => ("group" in option ? { ...option, items: option.items.filter((item) => fits(item)) } : fits(option) ? option : []));
};

function Choice({ option: { label, value } }: { option: ComboboxItem }) {
  return (
    <span className={styles.choice}>
      {label}
      {isKnown(value) && <code>{value}</code>}
    </span>
  );
}

function labelOf(name: string): string {
  return name.endsWith(".")
    ? t("audit.filter.action.prefix", { action: name })
    : t("audit.filter.action.typed", { action: name });
}
