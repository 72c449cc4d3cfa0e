/** The way back to the list, where list and document do not fit side by side. */

import { ActionIcon } from "@mantine/core";
import { IconChevronLeft } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";

import type { Address } from "../filters";
import styles from "./Document.module.css";

export function BackToList() {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={36}
      className={styles.back}
      aria-label={t("documents.back")}
      renderRoot={(props) => <Link {...props} to="/documents" search={(now: Address) => ({ ...now, edit: undefined })} />}
    >
      <IconChevronLeft aria-hidden size={20} />
    </ActionIcon>
  );
}
