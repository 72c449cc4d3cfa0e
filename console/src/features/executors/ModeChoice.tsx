/** Connection mode of an executor. */

import { Radio } from "@mantine/core";

import { t } from "@/i18n";

import styles from "./Executors.module.css";
import type { Mode } from "./queries";

/** Modes that can be added; the local one is built in. */
export type SettableMode = Exclude<Mode, "local">;
const MODES: readonly SettableMode[] = ["pull", "push"];

export function ModeChoice({ value, onChange }: { value: SettableMode; onChange: (mode: SettableMode) => void }) {
  return (
    <Radio.Group label={t("executors.new.mode")} value={value} onChange={(mode) => onChange(mode as SettableMode)}>
      <div className={styles.choices}>
        {MODES.map((mode) => (
          <Radio key={mode} value={mode} label={t(`executors.mode.${mode}`)} description={t(`executors.mode.${mode}.words`)} />
        ))}
      </div>
    </Radio.Group>
  );
}
