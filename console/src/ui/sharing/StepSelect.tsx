/** Permission select: each level includes those before it. */

import { Select } from "@mantine/core";

import styles from "./ShareDialog.module.css";

interface Props<Step extends string> {
  label: string;
  /** Label for screen readers only; the row shows it already. */
  quiet?: boolean;
  steps: readonly Step[];
  wordsOf: (step: Step) => string;
  value: Step;
  disabled?: boolean;
  onChange: (step: Step) => void;
}

export function StepSelect<Step extends string>({ label, quiet, steps, wordsOf, value, disabled, onChange }: Props<Step>) {
  return (
    <Select
      className={styles.step}
      {...(quiet ? { "aria-label": label } : { label })}
      allowDeselect={false}
      disabled={disabled}
      data={steps.map((step) => ({ value: step, label: wordsOf(step) }))}
      value={value}
      onChange={(chosen) => chosen && onChange(chosen as Step)}
    />
  );
}
