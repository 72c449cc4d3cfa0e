/** The save state of what isn't written here: it is saved, in which version, or a change is on its way. */

import { IconCircleCheck, IconDeviceFloppy } from "@tabler/icons-react";

import { t } from "@/i18n";
import styles from "@/ui/writing/SaveState.module.css";

export function Kept({ version, isSaving = false }: { version?: number; isSaving?: boolean }) {
  const word = isSaving ? "saving" : "saved";
  const Picture = isSaving ? IconDeviceFloppy : IconCircleCheck;
  return (
    <span className={styles.state} data-word={word}>
      <Picture aria-hidden size={15} stroke={1.8} />
      <span>
        {t(`writing.save.${word}`)}
        {version !== undefined && <span className={styles.version}> · {t("writing.save.version", { version })}</span>}
      </span>
    </span>
  );
}
