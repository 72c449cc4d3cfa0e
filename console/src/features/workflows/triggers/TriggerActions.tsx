/** Edits, turns on or off, or deletes a trigger. */

import { ActionIcon, Menu } from "@mantine/core";
import { IconDots, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from "@tabler/icons-react";
import { useState } from "react";

import { t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { notice, noticeFault } from "@/ui/notice";

import type { Trigger } from "../api";
import { useTriggerChanges } from "../queries";
import { matchWords } from "./words";

interface Props {
  trigger: Trigger;
  onEdit: () => void;
  onDeleted?: () => void;
}

export function TriggerActions({ trigger, onEdit, onDeleted }: Props) {
  const { save, remove } = useTriggerChanges();
  const [deleting, setDeleting] = useState(false);
  const { id, enabled } = trigger;
  const Picture = enabled ? IconPlayerPause : IconPlayerPlay;
  const turn = (): void =>
    save.mutate(
      { id, draft: { enabled: !enabled } },
      { onSuccess: () => notice(t(enabled ? "workflows.trigger.turned_off" : "workflows.trigger.turned_on")), onError: noticeFault },
    );

  async function perform(): Promise<void> {
    await remove.mutateAsync(id);
    notice(t("workflows.trigger.deleted"));
    onDeleted?.();
  }

  return (
    <>
      <Menu position="bottom-end" returnFocus>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size={32} aria-label={t("workflows.trigger.actions", { trigger: matchWords(trigger) })}>
            <IconDots aria-hidden size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil aria-hidden size={15} />} onClick={onEdit}>
            {t("action.edit")}
          </Menu.Item>
          <Menu.Item leftSection={<Picture aria-hidden size={15} />} onClick={turn}>
            {t(enabled ? "workflows.trigger.turn_off" : "workflows.trigger.turn_on")}
          </Menu.Item>
          <Menu.Item color="danger" leftSection={<IconTrash aria-hidden size={15} />} onClick={() => setDeleting(true)}>
            {t("workflows.trigger.delete")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {deleting && (
        <ConfirmDialog title={t("workflows.trigger.delete.title")} confirm={t("workflows.trigger.delete")} perform={perform} onClose={() => setDeleting(false)}>
          <p>
            <b>{matchWords(trigger)}</b>
          </p>
          <p>{t("workflows.trigger.delete.words")}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
