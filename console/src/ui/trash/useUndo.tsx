/** Says that something was deleted, with a button that takes it out of the trash again. */

import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { closing, notice, noticeFault } from "@/ui/notice";

import { restoreMany } from "./many";
import { placeOf } from "./places";
import { restore, useTrashDays } from "./queries";
import styles from "./Undo.module.css";

/** Pointing at the toast or moving the focus there stops the clock. */
const LONG_ENOUGH = 10_000;

/** `from` is the address that the deletion was asked for at: a screen that it has closed is opened again. */
export function useUndo(): (message: string, ids: readonly string[], from?: string) => void {
  const days = useTrashDays();
  const client = useQueryClient();
  const go = useNavigate();

  async function bringBackOne(id: string, from: string): Promise<void> {
    try {
      const restored = await restore(client, id);
      if (from.endsWith(`/${id}`)) await go({ to: placeOf(restored) });
      notice(t("trash.restored", { title: restored.title }));
    } catch (fault) {
      noticeFault(fault);
      if (fault instanceof Refusal && fault.status === 409) await go({ to: "/trash" });
    }
  }

  async function bringBackMany(ids: readonly string[]): Promise<void> {
    if ((await restoreMany(client, ids)) > 0) await go({ to: "/trash" });
  }

  return (message, ids, from = window.location.pathname) => {
    const [only] = ids;
    if (days === 0 || only === undefined) {
      notice(message);
      return;
    }
    const toast = notifications.show({
      autoClose: LONG_ENOUGH,
      ...closing(),
      message: (
        <span className={styles.toast}>
          <span>{message}</span>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              notifications.hide(toast);
              void (ids.length === 1 ? bringBackOne(only, from) : bringBackMany(ids));
            }}
          >
            {t("action.undo")}
          </Button>
        </span>
      ),
    });
  };
}
