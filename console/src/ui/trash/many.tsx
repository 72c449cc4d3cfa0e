/** Something done with many items of the trash: a toast says how far it is, and the screens are refreshed once, at the end. */

import { notifications } from "@mantine/notifications";
import type { QueryClient } from "@tanstack/react-query";

import { t } from "@/i18n";
import { closing, notice } from "@/ui/notice";
import { Progress } from "@/ui/Progress";
import { several } from "@/ui/several";

import { bringBack, purge, refresh } from "./queries";

/** Returns how many are still in the trash. */
export async function restoreMany(client: QueryClient, ids: readonly string[]): Promise<number> {
  const failed = await withMany(client, ids, t("trash.restoring", { count: ids.length }), (id) => bringBack(id));
  tell("trash.restored.many", ids.length - failed, "trash.undo.failed", failed);
  return failed;
}

export async function purgeMany(client: QueryClient, ids: readonly string[]): Promise<void> {
  const failed = await withMany(client, ids, t("trash.purging", { count: ids.length }), purge);
  tell("trash.emptied", ids.length - failed, "trash.purge.failed", failed);
}

async function withMany(client: QueryClient, ids: readonly string[], words: string, act: (id: string) => Promise<unknown>): Promise<number> {
  const toast = (done: number) => ({ title: words, message: <Progress label={words} share={done / ids.length} />, autoClose: false, withCloseButton: false }) as const;
  const id = notifications.show(toast(0));
  const failed = await several(ids, act, (done) => notifications.update({ id, ...toast(done) }));
  await refresh(client);
  notifications.hide(id);
  return failed.length;
}

function tell(well: "trash.restored.many" | "trash.emptied", done: number, badly: "trash.undo.failed" | "trash.purge.failed", failed: number): void {
  if (done > 0) notice(t(well, { count: done }));
  if (failed > 0) notifications.show({ color: "danger", message: t(badly, { count: failed }), autoClose: 10_000, ...closing() });
}
