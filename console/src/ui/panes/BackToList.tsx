/** Back link to the list, where list and detail don't fit side by side. */

import { ActionIcon } from "@mantine/core";
import { IconChevronLeft } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { OF_ITEM } from "@/ui/versions/address";

import styles from "./BackToList.module.css";

export function BackToList({ to }: { to: "/notes" | "/documents" | "/chat" | "/graph" }) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={36}
      className={styles.back}
      aria-label={t("ui.back_to_list")}
      renderRoot={(props) => <Link {...props} to={to} search={(now: object) => ({ ...now, ...OF_ITEM })} />}
    >
      <IconChevronLeft aria-hidden size={20} />
    </ActionIcon>
  );
}
