/** Says that something was deleted, with a button that takes it out of the trash again. */

import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { closing, notice, noticeFault } from "@/ui/notice";

import { placeOf } from "./places";
import { restore, useTrashDays, type Restored } from "./queries";
import styles from "./Undo.module.css";

/** Pointing at the toast or moving the focus there stops the clock. */
const LONG_ENOUGH = 10_000;
const AT_ONCE = 4;

export function useUndo(): (message: string, ids: readonly string[]) => void {
  const days = useTrashDays();
  const client = useQueryClient();
  const go = useNavigate();

  async function bringBack(ids: readonly string[]): Promise<void> {
    const [only] = ids;
    if (ids.length !== 1 || only === undefined) return bringBackMany(ids);
    try {
      const restored = await restore(client, only);
      await go({ to: placeOf(restored) });
      notice(t("trash.restored", { title: restored.title }));
    } catch (fault) {
      noticeFault(fault);
      if (fault instanceof Refusal && fault.status === 409) await go({ to: "/trash" });
    }
  }

  async function bringBackMany(ids: readonly string[]): Promise<void> {
    const left = [...ids];
    const restored: Restored[] = [];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let id = left.pop(); id !== undefined; id = left.pop()) {
          await restore(client, id).then((each) => restored.push(each), () => undefined);
        }
      }),
    );
    const missing = ids.length - restored.length;
    if (restored.length > 0) notice(t("trash.restored.many", { count: restored.length }));
    if (missing > 0) {
      notifications.show({ color: "danger", message: t("trash.undo.failed", { count: missing }), autoClose: LONG_ENOUGH, ...closing() });
      await go({ to: "/trash" });
    }
  }

  return (message, ids) => {
    if (days === 0 || ids.length === 0) {
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
              void bringBack(ids);
            }}
          >
            {t("action.undo")}
          </Button>
        </span>
      ),
    });
  };
}
