/** Opens the box for content, places and actions. */

import { UnstyledButton } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";

import { t } from "@/i18n";

import { box } from "../box/opening";
import styles from "./Find.module.css";

export function Find() {
  return (
    <UnstyledButton className={styles.find} aria-keyshortcuts="Control+K Meta+K /" title={t("shell.jump")} onClick={box.open}>
      <IconSearch aria-hidden size={15} />
      <span className={styles.words}>{t("shell.palette")}</span>
      <kbd>{t("shell.palette.keys")}</kbd>
    </UnstyledButton>
  );
}
