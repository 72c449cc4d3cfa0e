/** Permission select: each level includes those before it. */

import { Select } from "@mantine/core";

import { t } from "@/i18n";

import type { SharingKind } from "./kinds";
import styles from "./Sharing.module.css";

interface Props<Level extends string> {
  kind: SharingKind<Level>;
  label: string;
  /** Label for screen readers only; the row shows it already. */
  quiet?: boolean;
  value: Level;
  disabled?: boolean;
  onChange: (level: Level) => void;
}

export function LevelSelect<Level extends string>({ kind, label, quiet, value, disabled, onChange }: Props<Level>) {
  return (
    <Select
      className={styles.step}
      {...(quiet ? { "aria-label": label } : { label })}
      allowDeselect={false}
      disabled={disabled}
      data={kind.levels.map((level) => ({ value: level, label: t(`sharing.can.${kind.words[level]}`) }))}
      value={value}
      onChange={(chosen) => chosen && onChange(chosen as Level)}
    />
  );
}
