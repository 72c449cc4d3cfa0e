/** Filters a list as you type; Escape clears it. */

import { CloseButton, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";

import { t } from "@/i18n";

import styles from "./TextFilter.module.css";

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

export function TextFilter({ label, value, onChange }: Props) {
  return (
    <TextInput
      className={styles.filter}
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch aria-hidden size={15} />}
      rightSection={value && <CloseButton size="sm" aria-label={t("ui.filter.clear")} onClick={() => onChange("")} />}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => event.key === "Escape" && onChange("")}
    />
  );
}

/** Filter input above a list, with the number of matches. */
export function ListFilter({ count, ...filter }: Props & { count: string }) {
  return (
    <div className={styles.row}>
      <TextFilter {...filter} />
      <p className="muted" aria-live="polite">
        {count}
      </p>
    </div>
  );
}

/** True if the texts contain every word typed. */
export function fits(wanted: string, ...texts: string[]): boolean {
  const text = texts.join(" ").toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
