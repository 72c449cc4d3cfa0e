/** What somebody may do: each step holds those before it. */

import { Select } from "@mantine/core";

import { t } from "@/i18n";

import { CAPABILITIES, type Capability } from "./queries";
import styles from "./ShareDialog.module.css";

interface Props {
  label: string;
  /** The label is for those who hear it; the row says it to the others. */
  quiet?: boolean;
  value: Capability;
  disabled?: boolean;
  onChange: (capability: Capability) => void;
}

export function CapabilitySelect({ label, quiet, value, disabled, onChange }: Props) {
  return (
    <Select
      className={styles.capability}
      {...(quiet ? { "aria-label": label } : { label })}
      allowDeselect={false}
      disabled={disabled}
      data={CAPABILITIES.map((capability) => ({ value: capability, label: t(`sharing.can.${capability}`) }))}
      value={value}
      onChange={(chosen) => chosen && onChange(chosen as Capability)}
    />
  );
}
