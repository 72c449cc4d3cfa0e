/** Which actions: a whole group, one that is known, one that was met, or whatever name somebody types. */

import { Select } from "@mantine/core";
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

/** `note.create`, or with its dot at the end a whole group. */
const NAME = /^[a-z_]+(\.[a-z_]+)*\.?$/;

export function ActionSelect({ value, seen, onChange }: Props) {
  const [typed, setTyped] = useState("");
  const groups: { group: string; items: Option[] }[] = ACTION_GROUPS.map((group) => ({
    group: t(`audit.group.${group}`),
    items: [
      { value: `${group}.`, label: t("audit.filter.action.all", { group: t(`audit.group.${group}`), prefix: `${group}.` }) },
      ...ACTIONS.filter((action) => action.startsWith(`${group}.`)).map((action) => ({ value: action, label: action })),
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

function labelOf(name: string): string {
  return name.endsWith(".")
    ? t("audit.filter.action.prefix", { action: name })
    : t("audit.filter.action.typed", { action: name });
}
