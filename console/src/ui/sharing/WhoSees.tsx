/** Access level in the share dialog, and a hint if it contradicts the shares. */

import { Button } from "@mantine/core";

import { t } from "@/i18n";
import { VisibilityMenu } from "@/ui/visibility/VisibilityMenu";
import type { Visibility } from "@/ui/writing/text";

import styles from "./Sharing.module.css";

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

/** An item marked private is still visible to people it's shared with. */
export function PrivateButShared({ onChange }: Pick<Props, "onChange">) {
  return (
    <p className={styles.hint}>
      {t("sharing.private")}
      <Button size="compact-xs" variant="default" onClick={() => onChange("shared")}>
        {t("sharing.mark")}
      </Button>
    </p>
  );
}
