/** How work reaches an executor. While there is one way only, it is explained; a choice begins with the second. */

import { Radio } from "@mantine/core";

import { t } from "@/i18n";

import styles from "./Executors.module.css";
import type { Mode } from "./queries";

/** Those that can be set up; the server itself is there already. */
export type SettableMode = Exclude<Mode, "local">;
export const MODES: readonly [SettableMode, ...SettableMode[]] = ["pull"];

export function ModeChoice({ value, onChange }: { value: SettableMode; onChange: (mode: SettableMode) => void }) {
  if (MODES.length === 1) return <p className="muted">{t(`executors.mode.${value}.words`)}</p>;
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
