/** What can be done with all selected entries. */

import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { IconX } from "@tabler/icons-react";

import { t } from "@/i18n";
import { Toolbar } from "@/ui/Toolbar";

import { useEntryActions, type Deed } from "../actions";
import type { Entry } from "./entries";
import { pictureOf } from "./pictures";
import styles from "./SelectionBar.module.css";

const DEEDS = ["download", "move", "copy", "share", "delete"] as const satisfies readonly Deed[];

export function SelectionBar({ entries, narrow, onClear }: { entries: readonly Entry[]; narrow: boolean; onClear: () => void }) {
  const actions = useEntryActions();
  const offered = DEEDS.filter((deed) => actions.may(deed, entries));
  return (
    <Toolbar className={styles.bar} aria-label={t("files.selected.actions")}>
      <Tooltip label={t("files.selected.clear")} openDelay={300}>
        <ActionIcon variant="subtle" color="gray" size={32} aria-label={t("files.selected.clear")} onClick={onClear}>
          <IconX aria-hidden size={17} />
        </ActionIcon>
      </Tooltip>
      <p className={styles.count}>{t("files.selected", { count: entries.length })}</p>
      {offered.map((deed) => {
        const Picture = pictureOf(deed);
        const label = t(`files.do.${deed}`);
        const act = (): void => actions.ask(deed, entries);
        return narrow ? (
          <ActionIcon key={deed} variant="subtle" color={deed === "delete" ? "danger" : "gray"} size={36} aria-label={label} onClick={act}>
            <Picture aria-hidden size={18} />
          </ActionIcon>
        ) : (
          <Button key={deed} size="compact-sm" variant="subtle" color={deed === "delete" ? "danger" : "gray"} leftSection={<Picture aria-hidden size={15} />} onClick={act}>
            {label}
          </Button>
        );
      })}
    </Toolbar>
  );
}
