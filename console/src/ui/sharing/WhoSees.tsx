/** In a dialog that shares: who sees the thing by itself, and a word where that and what was given say two things. */

import { Button } from "@mantine/core";

import { t } from "@/i18n";
import { VisibilityMenu } from "@/ui/visibility/VisibilityMenu";
import type { Visibility } from "@/ui/writing/text";

import styles from "./ShareDialog.module.css";

interface Props {
  visibility: Visibility;
  onChange: (visibility: Visibility) => void;
}

export function WhoSees({ visibility, onChange }: Props) {
  return (
    <div className={styles.visibility}>
      <p>
        <b>{t("visibility.title")}</b>
        <span>{t(`visibility.${visibility}.words`)}</span>
      </p>
      <VisibilityMenu visibility={visibility} shares={0} mayChange onChange={onChange} />
    </div>
  );
}

/** What is marked private is seen by whom it was given to all the same. */
export function PrivateAllTheSame({ onChange }: Pick<Props, "onChange">) {
  return (
    <p className={styles.hint}>
      {t("sharing.private")}
      <Button size="compact-xs" variant="default" onClick={() => onChange("shared")}>
        {t("sharing.mark")}
      </Button>
    </p>
  );
}
